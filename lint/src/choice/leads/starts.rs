//! Which wordings can start at a token. Most tokens start none, and a word is looked up once to know.

use super::super::lexicon::Classes;
use super::super::list::{self, Prose};
use super::super::tokens::Kind;
use super::announced::{heading, one_of, value_are, values_lead};
use super::apart::{allowed, behind_colon, conditions, directions};
use super::coded::{self, coded, coded_behind};
use super::modal::{can_be, choose, must_be, only};
use super::pointed::elsewhere;
use super::shapes::{
    apposed, bars, bulleted, constants, defined_lines, sampled, set_to, slashed_code, unannounced,
    vocabulary, with_default,
};
use super::spelled::{bracketed, either, list_of, named_list, settings, spelled_bullets, tabled};
use super::{Hit, Known};

/// What a word may start: the wordings it is the first word of.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Class(u32);

impl Class {
    pub(super) const NONE: Class = Class(0);
    const VALUES: Class = Class(1);
    const ONE_OF: Class = Class(1 << 1);
    const CAN_BE: Class = Class(1 << 2);
    const MUST_BE: Class = Class(1 << 3);
    const HEADING: Class = Class(1 << 4);
    const LIST: Class = Class(1 << 5);
    const EITHER: Class = Class(1 << 6);
    const CHOOSE: Class = Class(1 << 7);
    const ONLY: Class = Class(1 << 8);
    const VOCABULARY: Class = Class(1 << 9);
    const SET: Class = Class(1 << 10);
    const ELSEWHERE: Class = Class(1 << 11);
    /// It announces examples, which are no set.
    pub(super) const EXAMPLE: Class = Class(1 << 12);
    /// The same before "as".
    pub(super) const SUCH: Class = Class(1 << 13);
    /// It is frequent, and starts a wording only before "are".
    const VALUE: Class = Class(1 << 14);
    const STARTS: Class = Class((1 << 12) - 1);

    pub(super) fn of(word: &str) -> Class {
        Class(CLASSES.of(word))
    }

    pub(super) fn has(self, class: Class) -> bool {
        self.0 & class.0 != 0
    }
}

static CLASSES: Classes = Classes::new(&[
    (
        Class::VALUES.0 | Class::HEADING.0 | Class::ELSEWHERE.0,
        "supported allowed accepted valid permitted available possible",
    ),
    (
        Class::VALUES.0,
        "acceptable expected legal allowable permissible recognized recognised eligible strings",
    ),
    (Class::VALUES.0 | Class::HEADING.0, "values options choices"),
    (Class::HEADING.0, "enum accepts enumeration alternatives"),
    (Class::ONE_OF.0, "one any"),
    (
        Class::CAN_BE.0,
        "can may could should might is are either accepts accept takes supports",
    ),
    (Class::MUST_BE.0, "must"),
    (Class::LIST.0 | Class::ELSEWHERE.0, "list"),
    (Class::EITHER.0, "either"),
    (Class::CHOOSE.0, "choose select pick chosen selected"),
    (Class::ONLY.0, "limited restricted only"),
    (
        Class::VOCABULARY.0,
        "asc desc ascending descending true false yes no on off enabled disabled get post put patch delete json xml csv \
        yaml low medium high critical daily weekly monthly quarterly yearly male female other public private y n day week \
        month year hour inbound outbound push pull open closed all active inactive in out",
    ),
    (Class::SET.0, "set use specify pass enter"),
    (
        Class::ELSEWHERE.0,
        "fixed closed predefined pre-defined controlled to",
    ),
    (
        Class::EXAMPLE.0,
        "e.g eg example examples ex sample typical typically i.e like instance",
    ),
    (Class::SUCH.0, "such"),
    (Class::VALUE.0, "value"),
]);

/// Whether a wording can start at a token that is no word. This and the next are asked for every token.
pub(super) fn may_start(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Code
            | Kind::Quote
            | Kind::Bold
            | Kind::Open
            | Kind::Colon
            | Kind::Bullet
            | Kind::Dash
            | Kind::Pipe
    )
}

/// Whether a wording can start at this word.
pub(super) fn word_may_start(
    prose: Prose<'_>,
    at: usize,
    (word, class): (&str, Class),
    equals: bool,
) -> bool {
    class.has(Class::STARTS)
        || at == 0
        || class.has(Class::VALUE) && prose.is_word(at + 1, "are")
        || matches!(
            prose.kind(at + 1),
            Some(Kind::Colon | Kind::Pipe | Kind::Dash)
        )
        || is_coded(prose, at, word, equals)
}

/// `1=on`, or a short word before "means" and the like.
fn is_coded(prose: Prose<'_>, at: usize, word: &str, equals: bool) -> bool {
    (word.len() <= 3 && prose.is_one_of(at + 1, coded::MEANS))
        || (equals && word.contains('='))
        || (at == 0 && word.as_bytes().get(1) == Some(&b'-'))
}

/// A token that wordings are tried at.
#[derive(Clone, Copy)]
pub(super) struct Here<'t, 'k> {
    pub(super) prose: Prose<'t>,
    pub(super) at: usize,
    /// Where its sentence starts.
    pub(super) sentence: usize,
    /// Whether the text has an equals sign anywhere.
    pub(super) equals: bool,
    /// Its word; empty for everything that is not a word.
    pub(super) word: &'t str,
    /// What its word may start.
    pub(super) class: Class,
    pub(super) known: Known<'k>,
}

impl<'t> Here<'t, '_> {
    fn is_followed(self, kinds: &[Kind]) -> bool {
        let next = self.prose.kind(self.at + 1);
        next.is_some_and(|next| kinds.contains(&next))
    }

    pub(super) fn values(self) -> Option<Hit<'t>> {
        let may = self.class.has(Class::VALUES);
        may.then(|| values_lead(self.prose, self.at)).flatten()
    }

    pub(super) fn sampled(self, kind: Kind) -> Option<Hit<'t>> {
        if !kind.is_literal() {
            return None;
        }
        let list = list::inline(self.prose, self.at).filter(|list| list.len() >= 2)?;
        sampled(self.prose, self.at, &list, self.known)
    }

    /// The wordings that are nothing but two or more marked alternatives.
    fn listed(self) -> Option<Hit<'t>> {
        let (prose, at) = (self.prose, self.at);
        let list = list::inline(prose, at).filter(|list| list.len() >= 2)?;
        with_default(prose, at, &list)
            .or_else(|| unannounced(prose, at, self.sentence, &list))
            .or_else(|| apposed(prose, at, &list))
            .or_else(|| sampled(prose, at, &list, self.known))
    }

    /// The first wording that fits, in the order of how sure they are.
    pub(super) fn lead(self, kind: Kind) -> Option<Hit<'t>> {
        let Here {
            prose,
            at,
            sentence,
            known,
            ..
        } = self;
        match kind {
            Kind::Word => self.worded(),
            Kind::Code | Kind::Quote | Kind::Bold => only(prose, at, sentence, known)
                .or_else(|| bars(prose, at, known))
                .or_else(|| slashed_code(prose, at, known))
                .or_else(|| constants(prose, at, sentence))
                .or_else(|| {
                    let known = Class::of(prose.text(at)).has(Class::VOCABULARY);
                    known
                        .then(|| vocabulary(prose, at).or_else(|| directions(prose, at)))
                        .flatten()
                })
                .or_else(|| coded(prose, at))
                .or_else(|| self.listed())
                .or_else(|| conditions(prose, at, known)),
            Kind::Open => slashed_code(prose, at, known)
                .or_else(|| bracketed(prose, at, sentence))
                .or_else(|| coded_behind(prose, at))
                .or_else(|| constants(prose, at, sentence)),
            Kind::Colon => constants(prose, at, sentence)
                .or_else(|| defined_lines(prose, at))
                .or_else(|| behind_colon(prose, at, sentence)),
            Kind::Bullet | Kind::Dash => constants(prose, at, sentence)
                .or_else(|| bulleted(prose, at))
                .or_else(|| spelled_bullets(prose, at)),
            Kind::Pipe => tabled(prose, at),
            _ => None,
        }
    }

    /// The wordings that start with a word.
    fn worded(self) -> Option<Hit<'t>> {
        let Here {
            prose,
            at,
            sentence,
            class,
            known,
            ..
        } = self;
        let colon = self.is_followed(&[Kind::Colon]);
        let coded_word = || is_coded(prose, at, self.word, self.equals);
        let meaning = colon || self.is_followed(&[Kind::Dash]) || coded_word();
        let given = |may: bool, lead: &dyn Fn() -> Option<Hit<'t>>| if may { lead() } else { None };
        let first =
            |wanted: Class, lead: &dyn Fn() -> Option<Hit<'t>>| given(class.has(wanted), lead);
        self.values()
            .or_else(|| first(Class::ONE_OF, &|| one_of(prose, at)))
            .or_else(|| first(Class::CAN_BE, &|| can_be(prose, at)))
            .or_else(|| {
                first(Class::MUST_BE, &|| must_be(prose, at))
                    .filter(|hit| hit.list.len() > 1 || !self.is_conditional())
            })
            .or_else(|| {
                given(colon || class.has(Class::HEADING), &|| {
                    heading(prose, at, sentence)
                })
            })
            .or_else(|| given(colon, &|| named_list(prose, at, sentence)))
            .or_else(|| first(Class::LIST, &|| list_of(prose, at)))
            .or_else(|| first(Class::EITHER, &|| either(prose, at, known)))
            .or_else(|| first(Class::CHOOSE, &|| choose(prose, at)))
            .or_else(|| first(Class::ONLY, &|| only(prose, at, sentence, known)))
            .or_else(|| given(self.is_followed(&[Kind::Pipe]), &|| bars(prose, at, known)))
            .or_else(|| constants(prose, at, sentence))
            .or_else(|| {
                first(Class::VOCABULARY, &|| {
                    vocabulary(prose, at).or_else(|| directions(prose, at))
                })
            })
            .or_else(|| given(meaning, &|| coded(prose, at)))
            .or_else(|| first(Class::SET, &|| set_to(prose, at, sentence)))
            .or_else(|| first(Class::SET, &|| settings(prose, at)))
            .or_else(|| first(Class::ELSEWHERE, &|| elsewhere(prose, at)))
            .or_else(|| first(Class::VALUE, &|| value_are(prose, at)))
            .or_else(|| given(at == 0, &|| allowed(prose, at)))
    }

    /// "For Paysafecard it must be `x`": one value for one case says nothing about the others.
    fn is_conditional(self) -> bool {
        let conditions = ["for", "if", "when", "unless", "in", "with"];
        self.prose.is_one_of(self.sentence, &conditions)
    }
}
