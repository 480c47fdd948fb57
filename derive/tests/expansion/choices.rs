#[derive(Debug, Clone, Copy)]
pub enum AuthUx {
    /// Hosted by us.
    Hosted,
    Custom,
}
const _: () = {
    use ::aon::__private as __aon;
    #[automatically_derived]
    impl __aon::Choices for AuthUx {
        const NAME: &'static __aon::str = "auth_ux";
        const CHOICES: &'static [__aon::Choice] = &[
            __aon::Choice::constant("hosted", __aon::Some("Hosted by us"), __aon::None),
            __aon::Choice::constant("byo", __aon::None, __aon::None),
        ];
        const JSON: &'static __aon::str = "[{\"value\":\"hosted\",\"label\":\"Hosted by us\"},\"byo\"]";
    }
    #[allow(dead_code)]
    impl AuthUx {
        ///Every value of `AuthUx`, in the order of the declaration.
        pub const ALL: &'static [Self] = &[Self::Hosted, Self::Custom];
        /// The value on the wire.
        #[must_use]
        pub const fn as_str(&self) -> &'static __aon::str {
            match self {
                Self::Hosted => "hosted",
                Self::Custom => "byo",
            }
        }
    }
    #[automatically_derived]
    impl __aon::FromStr for AuthUx {
        type Err = __aon::InvalidChoice;
        fn from_str(text: &__aon::str) -> __aon::Result<Self, __aon::InvalidChoice> {
            match text {
                "hosted" => __aon::Ok(Self::Hosted),
                "byo" => __aon::Ok(Self::Custom),
                other => __aon::Err(__aon::InvalidChoice::of::<Self>(other)),
            }
        }
    }
    #[automatically_derived]
    impl __aon::From<AuthUx> for __aon::Choice {
        fn from(value: AuthUx) -> Self {
            __aon::From::from(value.as_str())
        }
    }
    #[automatically_derived]
    impl __aon::From<&AuthUx> for __aon::Choice {
        fn from(value: &AuthUx) -> Self {
            __aon::From::from(value.as_str())
        }
    }
};
