#[derive(Debug, thiserror::Error, aon::Problem)]
#[error("{value} from {source_name} is used up")]
#[problem(status = 429, detail = "{value} is used up")]
pub struct UsedUp<T: std::fmt::Debug + std::fmt::Display> {
    #[problem(extension)]
    pub value: T,
    pub source_name: String,
    #[problem(retry_after)]
    pub wait: Option<std::time::Duration>,
}
