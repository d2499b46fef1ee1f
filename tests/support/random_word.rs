//! Random words that are instructions more often than not, from the decoder's own automaton.

use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::decoder::State;
use isac_ir::operation::Role;

use super::random::Random;

/// The decoder of the first element of the model's CODINGROOT.
pub(crate) fn root_decoder(model: &Model) -> u32 {
    let roots = model.operations.iter().flat_map(|operation| &operation.instances);
    let mut targets = roots.filter(|instance| instance.role == Role::Root).map(|instance| instance.target);
    targets.next().and_then(|target| model.decoder_of(target)).expect("the model decodes something")
}

/// A word that a decoder accepts: every edge of its automaton is as likely as any other.
pub(crate) fn random_word(model: &Model, decoder: u32, random: &mut Random) -> Bits {
    loop {
        let bits = u128::from(random.next()) << 64 | u128::from(random.next());
        let width = model.decoders[decoder as usize].width_bits;
        let mut word = Bits::ZERO.with(0, width.min(128), bits);
        if width > 128 {
            let bits = u128::from(random.next()) << 64 | u128::from(random.next());
            word = word.with(128, width - 128, bits);
        }
        if let Some(word) = walk(model, decoder, word, random) {
            return word;
        }
    }
}

/// Sets a word's bits so that the automaton accepts it; `None` where the walk ends in no variant.
fn walk(model: &Model, decoder: u32, mut word: Bits, random: &mut Random) -> Option<Bits> {
    let automaton = &model.decoders[decoder as usize];
    let mut state = automaton.start;
    let variant = loop {
        match &automaton.states[state as usize] {
            State::Reject => return None,
            State::Accept(variant) => break *variant,
            State::Fetch { next, .. } => state = *next,
            State::Test { low, width, edges, otherwise } => {
                match edges.get(random.below_u64(edges.len() as u64 + 1) as usize) {
                    Some((value, to)) => {
                        word = word.with(*low, *width, u128::from(*value));
                        state = *to;
                    }
                    None => {
                        let value = word.extract(*low, *width) as u64;
                        let edge = edges.iter().find(|(edge, _)| *edge == value);
                        state = edge.map_or(*otherwise, |(_, to)| *to);
                    }
                }
            }
        }
    };
    for node in &automaton.variants[variant as usize].nodes {
        if let Some(nested) = node.nested {
            let part = random_word(model, nested, random);
            for run in &node.coded {
                word = word.with(run.from, run.width, part.extract(run.to, run.width));
            }
        }
    }
    Some(word)
}
