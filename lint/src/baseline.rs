//! Known findings, each with its tracking issue (contract R4).

use crate::finding::Finding;

/// What identifies a finding across edits of the file: rule, file and pointer, not the line.
pub fn fingerprint(finding: &Finding) -> String {
    format!("{}:{}:{}", finding.code, finding.file, finding.pointer)
}
