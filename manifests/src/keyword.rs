//! Keys that most documents have, and the hash that keys are told apart by.
//!
//! The text of a key lies somewhere in a file that is larger than any cache. While it is parsed it is near; later, looking at
//! it again costs more than everything else about a lookup. So a key that is one of these is marked, and read from here.

/// A small multiplicative hash over 8 bytes at a time. Equal hashes are always settled by comparing text.
#[inline]
pub(crate) const fn hash(key: &[u8]) -> u32 {
    const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = (key.len() as u64).wrapping_mul(SEED);
    let mut rest = key;
    while let Some((chunk, more)) = rest.split_first_chunk() {
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(*chunk)).wrapping_mul(SEED);
        rest = more;
    }
    if rest.is_empty() {
        return high(hash);
    }
    // Bytes that were taken already may come again; that is cheaper than to take the rest one by one.
    let word = if let Some(last) = key.last_chunk() {
        u64::from_le_bytes(*last)
    } else if let (Some(first), Some(last)) = (key.first_chunk(), key.last_chunk()) {
        u32::from_le_bytes(*first) as u64 | ((u32::from_le_bytes(*last) as u64) << 32)
    } else {
        match rest {
            [a] => *a as u64,
            [a, b] => *a as u64 | ((*b as u64) << 8),
            [a, b, c, ..] => *a as u64 | ((*b as u64) << 8) | ((*c as u64) << 16),
            [] => 0,
        }
    };
    high((hash.rotate_left(5) ^ word).wrapping_mul(SEED))
}

const fn high(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// Whether a key with this hash is one of the table.
pub(crate) fn is_one(hash: u32, key: &[u8]) -> bool {
    !key.is_empty() && of(hash).as_bytes() == key
}

/// The keyword with this hash; something else when there is none.
pub(crate) fn of(hash: u32) -> &'static str {
    TABLE.get(slot(hash)).copied().unwrap_or_default()
}

const fn slot(hash: u32) -> usize {
    (hash >> 23) as usize
}

static TABLE: [&str; 512] = {
    let mut table = [""; 512];
    let mut at = 0;
    while at < WORDS.len() {
        let slot = slot(hash(WORDS[at].as_bytes()));
        // Of two words for one slot the first stays; the other one is read from the source as before.
        if table[slot].is_empty() {
            table[slot] = WORDS[at];
        }
        at += 1;
    }
    table
};

/// The most frequent first.
const WORDS: [&str; 96] = [
    "type",
    "description",
    "format",
    "$ref",
    "schema",
    "name",
    "required",
    "example",
    "properties",
    "url",
    "nullable",
    "enum",
    "in",
    "content",
    "application/json",
    "default",
    "title",
    "summary",
    "operationId",
    "responses",
    "parameters",
    "items",
    "externalDocs",
    "examples",
    "value",
    "tags",
    "200",
    "201",
    "202",
    "204",
    "304",
    "400",
    "401",
    "403",
    "404",
    "405",
    "409",
    "410",
    "412",
    "415",
    "422",
    "429",
    "500",
    "502",
    "503",
    "get",
    "put",
    "post",
    "patch",
    "delete",
    "head",
    "options",
    "requestBody",
    "headers",
    "additionalProperties",
    "oneOf",
    "anyOf",
    "allOf",
    "not",
    "const",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "readOnly",
    "writeOnly",
    "deprecated",
    "discriminator",
    "propertyName",
    "mapping",
    "xml",
    "security",
    "servers",
    "callbacks",
    "links",
    "style",
    "explode",
    "allowEmptyValue",
    "collectionFormat",
    "consumes",
    "produces",
    "inputSchema",
    "outputSchema",
    "annotations",
    "application/problem+json",
    "multipart/form-data",
    "application/x-www-form-urlencoded",
    "text/plain",
    "application/xml",
    "x-internal",
    "id",
    "$schema",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_found_and_nothing_else_is() {
        let found = |word: &&str| is_one(hash(word.as_bytes()), word.as_bytes());
        let known = WORDS.iter().filter(|word| found(word)).count();
        assert!(known > WORDS.len() * 3 / 4, "only {known} have a slot");
        for other in ["", "typ", "types", "Type", "x-aon-ignore", "metadata"] {
            assert!(!found(&other), "{other}");
        }
    }

    #[test]
    fn hashes_depend_on_every_byte() {
        for len in 1..40 {
            let mut key = vec![b'a'; len];
            let plain = hash(&key);
            for at in 0..len {
                key[at] = b'b';
                assert_ne!(hash(&key), plain, "byte {at} of {len}");
                key[at] = b'a';
            }
        }
    }
}
