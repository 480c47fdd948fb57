//! How the secrets of known vendors begin, and what follows.

use std::sync::LazyLock;

/// What a prefix is followed by.
pub(super) struct Shape {
    pub(super) prefix: &'static [u8],
    /// The fewest bytes after the prefix.
    pub(super) least: usize,
    pub(super) body: Body,
}

/// The alphabet behind a prefix, and what it must contain.
#[derive(Clone, Copy)]
pub(super) enum Body {
    /// Letters and digits.
    Alnum,
    /// Letters and digits, some of them digits or capitals: the prefix is also an ordinary word.
    Mixed,
    /// The base64url alphabet.
    Url,
    /// The base64url alphabet and dots.
    Dotted,
    /// The base64url alphabet, and too irregular for words joined by dashes.
    Irregular,
    /// Hexadecimal, exactly `least` digits.
    Hex,
    /// Capitals and digits, exactly `least`.
    Upper,
}

/// The alphabet, the fewest bytes, and the prefixes.
#[rustfmt::skip]
const KINDS: &[(Body, usize, &str)] = &[
    (Body::Alnum, 16, "\
        AGE-SECRET-KEY-1 doo_v1_ dop_v1_ dor_v1_ gho_ ghp_ ghr_ ghs_ ghu_ lin_oauth_ lin_api_ shpat_ shpca_ \
        shppa_ shpss_ shpua_"),
    (Body::Alnum, 20, "NRAK-"),
    (Body::Alnum, 30, "cmVmdGtuO hcxik_"),
    (Body::Alnum, 40, "CLOJARS_ nsec1 ncryptsec1"),
    (Body::Alnum, 60, "AKCp"),
    (Body::Mixed, 8, "whsec_"),
    (Body::Mixed, 14, "LTAI"),
    (Body::Mixed, 16, "mct_"),
    (Body::Mixed, 20, "fw_ hf_ npm_ ocp_"),
    (Body::Mixed, 24, "\
        alcht_ bitbucket_ fm1_ fm2_ glc_ gsk_ nfc_ nfo_ nfp_ ntn_ pplx- phx_ pnu_ rubygems_ rnd_ r8_ sbp_ xai-"),
    (Body::Mixed, 28, "AKID ATBB"),
    (Body::Mixed, 30, "AKLT GOOG1E dG9rO eyJrIjoi napi_ rdme_ sess- sgp_"),
    (Body::Mixed, 32, "cio e2b_ pina_ secret_"),
    (Body::Mixed, 35, "AQVN"),
    (Body::Mixed, 40, "AAAAAAAAAAAAAAAAAAAA AQE EZAK EZTK"),
    (Body::Mixed, 43, "oy2"),
    (Body::Mixed, 50, "EAA"),
    (Body::Mixed, 60, "ATTA IGQV IGQW"),
    (Body::Mixed, 90, "xprv yprv zprv"),
    (Body::Url, 8, "rk_live_ rk_test_ rzp_live_ rzp_test_ sk-svcacct- sk-proj- sk_live_ sk_test_ sk-ant-"),
    (Body::Url, 10, "xoxa- xoxb- xoxc- xoxd- xoxe- xoxp- xoxr- xoxs-"),
    (Body::Url, 16, "\
        AVNS_ dckr_oat_ dckr_pat_ github_pat_ mdb_sa_sk_ pscale_oauth_ pscale_tkn_ pscale_pw_ pypi-AgE \
        sb_secret_ sntrys_ sntryu_ sq0atp- sq0csp-"),
    (Body::Url, 20, "\
        1//0 CCIPAT_ CCIPRJ_ CCDB1_ FLWSECK GOCSPX- NRII- NRRA- figd_ figo_ glsa_ hvb. hvr. hvs. packagist_"),
    (Body::Url, 24, "ATATT3 ATCTT3 PMAK- fo1_ lsv2_ nvapi- pcsk_ syt_ tgp_v1_"),
    (Body::Url, 30, "AIza CFPAT- HRKU- cfut_ tfp_"),
    (Body::Url, 40, "4/0A ABSK ops_eyJ y0_"),
    (Body::Url, 50, "A21AA"),
    (Body::Dotted, 10, "xoxe. ya29."),
    (Body::Dotted, 12, "glpat-"),
    (Body::Dotted, 24, "dt0c01. dt0s01."),
    (Body::Dotted, 30, "dp."),
    (Body::Dotted, 40, "sk.eyJ tk.eyJ"),
    (Body::Dotted, 60, "sl. t1."),
    (Body::Irregular, 12, "sk-or-"),
    (Body::Irregular, 16, "glffct- glsoat- glcbt- glimt- glptt- gldt- glft- glrt- glwt- sk- xapp-"),
    (Body::Irregular, 20, "PMAT- glagent- gloas- tskey- tvly-"),
    (Body::Irregular, 26, "re_"),
    (Body::Irregular, 30, "django-insecure- xaat- xapt-"),
    (Body::Irregular, 36, "sdk-"),
    (Body::Irregular, 40, "pypi- xsmtpsib- xkeysib-"),
    (Body::Irregular, 60, "v1.0-"),
    (Body::Hex, 32, "AC SK dapi dkea dose fc- key-"),
    (Body::Hex, 34, "pk_"),
    (Body::Hex, 40, "bkaj_ bkct_ bkua_ pul- sqa_ sqp_ squ_"),
    (Body::Upper, 16, "ABIA ACCA AKIA ASIA"),
    (Body::Upper, 17, "SCW"),
];

/// The table, read when it is first asked for.
pub(super) static SHAPES: LazyLock<Shapes> = LazyLock::new(|| {
    let mut shapes = Shapes {
        by_letter: [const { Vec::new() }; 128],
        seen: [0; BITS],
    };
    for &(body, least, prefixes) in KINDS {
        for prefix in prefixes.split(' ').map(str::as_bytes) {
            shapes.note(prefix);
            let letter = usize::from(prefix.first().copied().unwrap_or_default());
            if let Some(shapes) = shapes.by_letter.get_mut(letter) {
                shapes.push(Shape {
                    prefix,
                    least,
                    body,
                });
            }
        }
    }
    for beginning in OTHERS.split(' ') {
        shapes.note(beginning.as_bytes());
    }
    shapes
});

/// What begins the secrets that have functions of their own, and the schemes that one may follow.
const OTHERS: &str = "SG. 00D 1/ pat eyJ bea Bea BEA bas Bas BAS dig Dig DIG";

/// The shapes, so that a word is compared only with those that begin like it.
pub(super) struct Shapes {
    by_letter: [Vec<Shape>; 128],
    /// A bit for three letters; few of those that begin no secret share one with those that do.
    seen: [u64; BITS],
}

const BITS: usize = 128;

impl Shapes {
    /// The shapes that begin with a letter.
    pub(super) fn beginning_with(&self, letter: u8) -> &[Shape] {
        let shapes = self.by_letter.get(usize::from(letter));
        shapes.map(Vec::as_slice).unwrap_or_default()
    }

    /// A quick no for ordinary words, by their first three letters.
    pub(super) fn may_begin(&self, [first, second, third]: [u8; 3]) -> bool {
        let (word, bit) = slot(first, second, third);
        let seen = |bits: &u64| bits >> bit & 1 == 1;
        // A user number in base64 may go on with any letter.
        matches!(first, b'M' | b'N' | b'O') || self.seen.get(word).is_some_and(seen)
    }

    /// Takes note of a beginning; of a short one with whatever follows.
    fn note(&mut self, beginning: &[u8]) {
        let letters = |at: usize| match beginning.get(at) {
            Some(&letter) => letter..=letter,
            None => b' '..=b'~',
        };
        for first in letters(0) {
            for second in letters(1) {
                for third in letters(2) {
                    let (word, bit) = slot(first, second, third);
                    if let Some(bits) = self.seen.get_mut(word) {
                        *bits |= 1 << bit;
                    }
                }
            }
        }
    }
}

fn slot(first: u8, second: u8, third: u8) -> (usize, usize) {
    let hash = usize::from(first) * 1_021 + usize::from(second) * 67 + usize::from(third) * 3;
    (hash / 64 % BITS, hash % 64)
}
