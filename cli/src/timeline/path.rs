//! Finds the critical path of a trace, and what is gained from the features on it.

use tally_timeline::{
    Circumstances, Critical, Figures, Findings, Normalized, running_shares, zeroing,
};

use super::source::Source;
use crate::failure::Failure;

/// The most features for which the run is replayed. The others have small shares.
const MOST_ZEROED: usize = 64;

/// The path of the whole run, as far as it is in the part that is shown.
pub(super) fn path(source: &mut Source, figures: &Figures) -> Result<Findings, Failure> {
    let circumstances = Circumstances::of(source.head());
    let mut critical = Critical::new(figures.extent.window, circumstances);
    source.replay(&mut critical)?;
    let (path, names) = critical.finish(source.end());
    Ok(Findings::new(path, names))
}

/// The same, with what is gained from its features, and their normalized processor times.
pub(super) fn findings(source: &mut Source, figures: &Figures) -> Result<Findings, Failure> {
    let circumstances = Circumstances::of(source.head());
    let end = source.end();
    let found = path(source, figures)?;
    let mut shares = running_shares(found.path());
    shares.truncate(MOST_ZEROED);
    let part = (figures.extent.window, end);
    let gains = zeroing(&shares, part, circumstances, |pass| source.replay(pass))?;
    let mut normalized = Normalized::new(figures.extent.window, circumstances);
    source.replay(&mut normalized)?;
    Ok(found.with_gains(gains).with_normalized(normalized.finish()))
}
