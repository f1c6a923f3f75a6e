//! A small class with tests, for projects that tests make.

/// A cache that forgets the entry that was used least recently.
pub(crate) const CACHE: &str = "\"A cache.\"\nObject subclass: LruCache [\n\
    | capacity values order evictions |\n\
    LruCache class >> capacity: anInteger [ \"Answer an empty cache.\" ^self new setCapacity: anInteger ]\n\
    setCapacity: anInteger [\n\
        capacity := anInteger. evictions := 0.\n\
        values := Dictionary new. order := OrderedCollection new ]\n\
    at: key [ values at: key ifAbsent: [^nil]. self touch: key. ^values at: key ]\n\
    at: key put: value [\n\
        (values includesKey: key) ifFalse: [self makeRoom].\n\
        values at: key put: value.\n\
        self touch: key.\n\
        ^value ]\n\
    touch: key [ order remove: key ifAbsent: []. order addLast: key ]\n\
    makeRoom [ values size < capacity ifTrue: [^self]. values removeKey: order removeFirst ]\n\
    size [ ^values size ]\n]\n";

/// Tests of it, one of which holds its sends within a limit.
pub(crate) const TESTS: &str = "TestCase subclass: LruCacheTest [\n\
    | cache |\n\
    setUp [ cache := LruCache capacity: 3. cache at: #a put: 1; at: #b put: 2 ]\n\
    testHit [ self assert: (cache at: #a) equals: 1 ]\n\
    testMiss [ self assert: (cache at: #z) isNil ]\n\
    testPutIsCheap [\n\
        self assert: [cache at: #c put: 3] sendsAtMost: 18.\n\
        self assert: cache size equals: 3 ]\n]\n";
