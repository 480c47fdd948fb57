//! The response among the events of a stream, replaced by what the tool left.

use std::convert::Infallible;

use bytes::Bytes;
use http_body::{Body, Frame};
use http_body_util::BodyExt;

use crate::adapter::rmcp::slot::Slot;

/// The stream, the response in it replaced. rmcp sends each event as one frame.
pub(super) fn replaced<R>(
    body: R,
    slot: Slot,
) -> impl Body<Data = Bytes, Error = Infallible> + Send + Sync
where
    R: Body<Data = Bytes, Error = Infallible> + Send + Sync + 'static,
{
    body.map_frame(move |frame| match frame.into_data() {
        Ok(data) => Frame::data(in_event(&data, &slot).unwrap_or(data)),
        Err(frame) => frame,
    })
}

/// The event with what was left as its data; `None` when it is not the response.
fn in_event(event: &[u8], slot: &Slot) -> Option<Bytes> {
    const DATA: &[u8] = b"data: ";
    let start = if event.starts_with(DATA) {
        DATA.len()
    } else {
        let line = |window: &[u8]| window.starts_with(b"\n") && window.ends_with(DATA);
        let at = event.windows(DATA.len() + 1).position(line)?;
        at + 1 + DATA.len()
    };
    let data = event.get(start..)?;
    let end = start + data.iter().position(|byte| *byte == b'\n')?;
    let result = slot.take_for(data)?;
    let mut replaced = Vec::with_capacity(event.len() + result.len());
    replaced.extend_from_slice(event.get(..start)?);
    replaced.extend_from_slice(&result);
    replaced.extend_from_slice(event.get(end..)?);
    Some(replaced.into())
}
