//! Texts that look like credentials and are none: vendors' samples, placeholders, signed addresses that have expired, public DSNs.

/// Whether everybody may know the text.
pub(super) fn is_public(text: &str) -> bool {
    is_sample(text)
        || is_filler(text)
        || is_encoded_document(text)
        || is_signed_address(text)
        || is_public_dsn(text)
}

/// What vendors print in their own documentation, and what stands for something else.
fn is_sample(text: &str) -> bool {
    const SAMPLES: &[&str] = &[
        // Every sample key of AWS ends so.
        "EXAMPLE",
        "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
        "sk_test_BQokikJOvBiI2HlWgH4olfQ2",
        "sk_test_26PHem9AhJZvU623DfE1x4sd",
        // The token of jwt.io.
        "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l",
        "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
        "xoxb-your-token",
        // The token of GitHub's own pages.
        "16C7e42F292c6912E7710c838347Ae178B4a",
    ];
    let repeated = ["xxxx", "XXXX", "****", "0000000000", "....", "1111111111"];
    let words = [
        "your_",
        "your-",
        "<your",
        "YOUR_",
        "placeholder",
        "redacted",
        "REDACTED",
        "dummy",
        "changeme",
    ];
    SAMPLES
        .iter()
        .chain(&repeated)
        .chain(&words)
        .any(|known| text.contains(known))
}

/// What somebody typed to fill the place: `1234567890abcdef`, `aaaaaaaaaa`, or a text that is cut off by three dots.
fn is_filler(text: &str) -> bool {
    let last = text.rsplit('_').next().unwrap_or(text).as_bytes();
    let climbs = |two: &&[u8]| matches!(two, [a, b] if a.is_ascii_alphanumeric() && (a.wrapping_add(1) == *b || (*a, *b) == (b'9', b'0')));
    let steps = last.windows(2).filter(climbs).count();
    let climbing = last.len() >= 12 && steps * 5 >= (last.len() - 1) * 4;
    // Keys in binary have long runs of `A`.
    let same = |ten: &[u8]| {
        ten.iter().all(|byte| {
            Some(byte) == ten.first() && (byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
    };
    climbing
        || text.as_bytes().windows(10).any(same)
        || text.ends_with("...")
        || text.ends_with('…')
}

/// JSON in base64 without the dots of a token: a cursor, or a body that was encoded.
fn is_encoded_document(text: &str) -> bool {
    text.starts_with("eyJ") && !text.contains('.')
}

/// An address whose signature is only good for some time. Nobody publishes one that still is: the longest of them live a week, and
/// an example is older when it is read.
fn is_signed_address(text: &str) -> bool {
    let address = text.starts_with("http://") || text.starts_with("https://");
    let pairs: &[(&str, &str)] = &[
        ("X-Amz-Signature=", "X-Amz-Date="),
        ("X-Goog-Signature=", "X-Goog-Date="),
        ("Signature=", "Expires="),
        ("sig=", "se="),
        ("sig=", "ske="),
        ("token=", "expires="),
    ];
    address
        && text
            .split_once("://")
            .is_some_and(|(_, rest)| !rest.split('/').next().unwrap_or("").contains('@'))
        && pairs
            .iter()
            .any(|(signature, until)| text.contains(signature) && text.contains(until))
}

/// `https://<public key>@host/<project>` lets an application send reports, and is shipped in every page.
fn is_public_dsn(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let Some((user, host)) = rest.and_then(|rest| rest.split_once('@')) else {
        return false;
    };
    let key = user.len() == 32 && user.bytes().all(|b| b.is_ascii_hexdigit());
    let project = host
        .rsplit('/')
        .next()
        .is_some_and(|last| !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit()));
    key && project
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn what_everybody_may_know_is_not_a_secret() {
        for text in [
            "AKIAIOSFODNN7EXAMPLE",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "https://0123456789abcdef0123456789abcdef@o1.ingest.example.com/42",
            "https://b.example.com/a.zip?X-Amz-Date=20200101T000000Z&X-Amz-Expires=60&X-Amz-Signature=0123456789abcdef0123456789abcdef",
            "sk_live_xxxxxxxxxxxxxxxxxxxx",
            "ghp_1234567890abcdef1234567890abcdef12345678",
            "updated_secret_1234567890ABCDEF",
            "Msg=Invalid+Url+for+CAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "eyJ0aHJlZURTTWV0aG9kTm90aWZpY...",
            "eyJhcGlWZXJzaW9uIjoiMC4wLjEiLCJraW5kIjoiZHNzZSIsInNwZWMiOnsi",
        ] {
            assert!(is_public(text), "{text}");
        }
        for text in [
            "https://user:hunter2hunter2@db.example.com/x",
            "https://0123456789abcdef0123456789abcdef:secret@host/42",
            "sk_live_51HqLyjWDarjtT1zdp7dcAbCdEf",
            "sk_live_51H8abcdefghijk9QxZ3mN7p",
            "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAABlwAAAAdz",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        ] {
            assert!(!is_public(text), "{text}");
        }
    }
}
