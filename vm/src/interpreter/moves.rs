//! Handlers of instructions that load, store and make things. They touch registers, variables and new objects, and
//! always go on with the next instruction.

use super::decode::{a, b, c, get, imm, set, word};
use super::dispatch::{answered, next, onward};
use super::{BLOCK_MODEL_BYTES, control, handlers, slow_handlers};
use crate::base::{Known, Value};
use crate::code::{BLOCK_HEAD_SLOTS, Target};
use crate::heap::Contents;

handlers! {
    copy(vm, ip, fp, carried) {
        set(fp, a(ip), get(fp, b(ip)));
        onward::<M>(vm, ip, fp, carried)
    }

    copy_wide(vm, ip, fp, carried) {
        let pair = imm(ip) as usize;
        set(fp, pair & 0xFFFF, get(fp, pair >> 16));
        onward::<M>(vm, ip, fp, carried)
    }

    load_int(vm, ip, fp, carried) {
        set(fp, a(ip), Value::int(i64::from(imm(ip) as i32)));
        onward::<M>(vm, ip, fp, carried)
    }

    load_nil(vm, ip, fp, carried) {
        set(fp, a(ip), Value::NIL);
        onward::<M>(vm, ip, fp, carried)
    }

    load_true(vm, ip, fp, carried) {
        set(fp, a(ip), Value::TRUE);
        onward::<M>(vm, ip, fp, carried)
    }

    load_false(vm, ip, fp, carried) {
        set(fp, a(ip), Value::FALSE);
        onward::<M>(vm, ip, fp, carried)
    }

    load_literal(vm, ip, fp, carried) {
        set(fp, a(ip), *vm.code.literals.get_unchecked(imm(ip) as usize));
        onward::<M>(vm, ip, fp, carried)
    }

    load_global(vm, ip, fp, carried) {
        set(fp, a(ip), vm.image.globals.get_unchecked(imm(ip) as usize).value);
        onward::<M>(vm, ip, fp, carried)
    }

    load_global_checked(vm, ip, fp, carried) {
        let global = vm.image.globals.get_unchecked(word(ip).index() as usize);
        if !global.defined {
            return control::unknown_global::<M>(vm, ip, fp, carried);
        }
        let value = global.value;
        answered::<M>(vm, ip, fp, carried, value)
    }

    store_global(vm, ip, fp, carried) {
        let value = get(fp, a(ip));
        let global = vm.image.globals.get_unchecked_mut(imm(ip) as usize);
        global.value = value;
        global.defined = true;
        onward::<M>(vm, ip, fp, carried)
    }

    load_ivar(vm, ip, fp, carried) {
        if M::CHECKED && !vm.heap.has_slot(get(fp, b(ip)), imm(ip) as usize) {
            // The receiver has become an object with fewer slots.
            set(fp, a(ip), Value::NIL);
            return onward::<M>(vm, ip, fp, carried);
        }
        set(fp, a(ip), vm.heap.slot(get(fp, b(ip)), imm(ip) as usize));
        onward::<M>(vm, ip, fp, carried)
    }

    store_ivar(vm, ip, fp, carried) {
        if M::CHECKED && !vm.heap.has_slot(get(fp, b(ip)), imm(ip) as usize) {
            return onward::<M>(vm, ip, fp, carried);
        }
        if vm.heap.store(get(fp, b(ip)), imm(ip) as usize, get(fp, a(ip))) {
            return remember_b::<M>(vm, ip, fp, carried);
        }
        onward::<M>(vm, ip, fp, carried)
    }

    load_captured(vm, ip, fp, carried) {
        let slot = BLOCK_HEAD_SLOTS + imm(ip) as usize;
        set(fp, a(ip), vm.heap.slot(get(fp, b(ip)), slot));
        onward::<M>(vm, ip, fp, carried)
    }

    make_cell(vm, ip, fp, carried) {
        let cell = match vm
            .heap
            .try_allocate_unwatched(Known::Cell as u32, Contents::Slots(1))
        {
            Some(cell) => cell,
            None => {
                vm.save(ip, fp, carried);
                vm.make_cell()
            }
        };
        vm.heap.set_slot(cell, 0, get(fp, b(ip)));
        set(fp, a(ip), cell);
        next::<M>(vm, ip.add(1), fp, carried)
    }

    make_context(vm, ip, fp, carried) {
        vm.save(ip, fp, carried);
        let context = vm.running_context();
        set(fp, a(ip), context);
        onward::<M>(vm, ip, fp, carried)
    }

    load_cell(vm, ip, fp, carried) {
        set(fp, a(ip), vm.heap.slot(get(fp, b(ip)), 0));
        onward::<M>(vm, ip, fp, carried)
    }

    store_cell(vm, ip, fp, carried) {
        if vm.heap.store(get(fp, b(ip)), 0, get(fp, a(ip))) {
            return remember_b::<M>(vm, ip, fp, carried);
        }
        onward::<M>(vm, ip, fp, carried)
    }

    make_block(vm, ip, fp, carried) {
        vm.count_steps::<M>(1);
        new_block::<M>(vm, ip, fp, carried)
    }

    assign_block(vm, ip, fp, carried) {
        vm.count_steps::<M>(2);
        new_block::<M>(vm, ip, fp, carried)
    }

    new_block(vm, ip, fp, carried) {
        let body: *const Target = &raw const **vm.code.targets.get_unchecked(imm(ip) as usize);
        let captured = usize::from(c(ip));
        if (*body).returns_home {
            return make_block_with_home::<M>(vm, ip, fp, carried);
        }
        let contents = Contents::Slots(BLOCK_HEAD_SLOTS + captured);
        let Some(block) = vm.heap.try_allocate((*body).block_class.0, contents) else {
            return make_block_with_home::<M>(vm, ip, fp, carried);
        };
        vm.heap.allocations.objects += 1;
        vm.heap.allocations.bytes += BLOCK_MODEL_BYTES;
        vm.heap.init_slot(block, 0, Value::int(i64::from(imm(ip))));
        for index in 0..captured {
            let value = get(fp, usize::from(b(ip)) + index);
            vm.heap.init_slot(block, BLOCK_HEAD_SLOTS + index, value);
        }
        set(fp, a(ip), block);
        next::<M>(vm, ip.add(1), fp, carried)
    }

    new_array(vm, ip, fp, carried) {
        vm.save(ip, fp, carried);
        let array = vm.make_slots(Known::Array, imm(ip) as usize);
        set(fp, a(ip), array);
        onward::<M>(vm, ip, fp, carried)
    }

    store_element(vm, ip, fp, carried) {
        vm.heap.set_slot(get(fp, b(ip)), imm(ip) as usize, get(fp, a(ip)));
        next::<M>(vm, ip.add(1), fp, carried)
    }
}

slow_handlers! {
    /// The object in `b` was stored into and has to be remembered.
    remember_b(vm, ip, fp, carried) {
        vm.heap.remember(get(fp, b(ip)), imm(ip) as usize);
        onward::<M>(vm, ip, fp, carried)
    }

    /// A block that needs more than its captured values, or for which the nursery has no room.
    make_block_with_home(vm, ip, fp, carried) {
        vm.save(ip, fp, carried);
        let block = vm.make_block(word(ip));
        set(fp, a(ip), block);
        next::<M>(vm, ip.add(1), fp, carried)
    }
}
