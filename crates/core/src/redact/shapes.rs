//! How the secrets of known vendors begin, and what follows: a table, and the shapes it is read into while compiling.

use super::words::split_word;

/// What a prefix is followed by.
#[derive(Clone, Copy)]
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

/// Where the secret path of an incoming webhook begins.
pub(super) const HOSTS: [&[u8]; 7] = [
    b"hooks.slack.com/services/",
    b"hooks.slack.com/workflows/",
    b"hooks.slack.com/triggers/",
    b"discord.com/api/webhooks/",
    b"discordapp.com/api/webhooks/",
    b"outlook.office.com/webhook/",
    b"hooks.zapier.com/hooks/catch/",
];

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

/// The table, a shape for each prefix.
pub(super) static SHAPES: [Shape; COUNT] = {
    let none = Shape {
        prefix: b"",
        least: 0,
        body: Body::Url,
    };
    let mut shapes = [none; COUNT];
    let (mut number, mut kind) = (0, 0);
    while kind < KINDS.len() {
        let (body, least, prefixes) = KINDS[kind];
        let mut rest = prefixes.as_bytes();
        while !rest.is_empty() {
            let (prefix, after) = split_word(rest);
            shapes[number] = Shape {
                prefix,
                least,
                body,
            };
            rest = after;
            number += 1;
        }
        kind += 1;
    }
    sorted(shapes)
};

/// By first letter, so that a word is compared only with those that begin like it.
const fn sorted(mut shapes: [Shape; COUNT]) -> [Shape; COUNT] {
    let mut at = 1;
    while at < COUNT {
        let mut back = at;
        while back > 0 && shapes[back - 1].prefix[0] > shapes[back].prefix[0] {
            shapes.swap(back - 1, back);
            back -= 1;
        }
        at += 1;
    }
    shapes
}

/// The shapes that begin with a letter.
pub(super) fn beginning_with(letter: u8) -> &'static [Shape] {
    static STARTS: [usize; 129] = {
        let mut starts = [0; 129];
        let (mut letter, mut number) = (0, 0);
        while letter < 128 {
            starts[letter] = number;
            while number < COUNT && SHAPES[number].prefix[0] as usize == letter {
                number += 1;
            }
            letter += 1;
        }
        starts[128] = number;
        starts
    };
    let bound = |letter: usize| STARTS.get(letter).copied();
    let (start, end) = (bound(letter.into()), bound(usize::from(letter) + 1));
    let range = start.unwrap_or(COUNT)..end.unwrap_or(COUNT);
    SHAPES.get(range).unwrap_or_default()
}

const COUNT: usize = {
    let (mut count, mut kind) = (0, 0);
    while kind < KINDS.len() {
        let mut rest = KINDS[kind].2.as_bytes();
        while !rest.is_empty() {
            rest = split_word(rest).1;
            count += 1;
        }
        kind += 1;
    }
    count
};
