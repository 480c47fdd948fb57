#[derive(Debug, Clone, Copy, aon::Choices)]
pub enum AuthUx {
    /// Hosted by us.
    Hosted,
    #[choice(rename = "byo")]
    Custom,
}
