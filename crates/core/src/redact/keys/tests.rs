//! Names of secrets, and of other things.

use super::*;

#[test]
fn names_of_secrets() {
    let names: Vec<&str> =
        "Authorization authorization AUTHORIZATION Proxy-Authorization X-Api-Key x-api-key \
         apiKey APIKey API_KEY apikey APIKEY openai.api_key client_secret clientSecret \
         ClientSecret CLIENT-SECRET clientsecret secret secrets password Password PASSWORD \
         passwd pwd db_password dbPassword dbpassword user[password] password2 \
         password_confirmation passwordHash new_password passphrase Cookie Set-Cookie \
         set_cookie cookies session_cookie token access_token access-token accessToken \
         accesstoken refresh_token id_token auth_token X-Auth-Token X-CSRF-Token \
         X-Amz-Security-Token PRIVATE-TOKEN apitoken private_key privateKey ssh_private_key \
         private_key_pem secret_key secret_access_key aws_secret_access_key AWSSecretKey \
         AccountKey SharedAccessKey Ocp-Apim-Subscription-Key signing_key encryptionKey \
         credentials credential connection_string ConnectionString ssn social_security_number \
         card_number cardNumber cc_number credit_card_number cvv cvv2 cvc security_code pin \
         card_pin otp recovery_codes jwt _auth _authToken smtp_pass pass code_verifier \
         client_assertion secret_key_base SECRET_KEY DD-APPLICATION-KEY webhook_secret \
         X-Vault-Token JSESSIONID PHPSESSID mnemonic X-Amz-Signature token1 access_tokens"
            .split(' ')
            .collect();
    for name in &names {
        assert!(sensitive_key(name), "{name} should name a secret");
    }
    assert!(names.len() > 80, "covered {}", names.len());
}

#[test]
fn names_of_other_things() {
    let names: Vec<&str> =
        "token_type max_tokens maxTokens total_tokens totalTokens prompt_tokens tokens \
         token_count token_endpoint token_url tokenizer password_policy passwordPolicy \
         password_min_length has_password is_secret invalid_password secret_santa secret_name \
         secretary author authors authority authorizer authorization_endpoint auth_ux auth \
         cookie_policy cookieConsent next_page_token nextPageToken page_token pageToken \
         continuation_token nextToken progressToken syncToken pagetoken nextpagetoken key \
         keys keyboard primary_key primaryKey foreign_key idempotency_key Idempotency-Key \
         public_key publicKey partition_key cache_key sort_key key_id access_key_id \
         session_id sessionId request_id trace_id span_id code status_code error_code pinned \
         map_pin spin passed compass bypass passenger user username email \
         Access-Control-Allow-Credentials WWW-Authenticate client_id phone_number \
         account_number business_card national_security a required_scope grant_type signature \
         client_secret_expires_at unexpected_token x_token_id"
            .split(' ')
            .collect();
    for name in &names {
        assert!(!sensitive_key(name), "{name} should not name a secret");
    }
    assert!(names.len() > 70, "covered {}", names.len());
}

#[test]
fn long_and_odd_names_are_fine() {
    assert!(sensitive_key(&format!(
        "{}_password",
        "very_long_".repeat(50)
    )));
    assert!(sensitive_key(&format!("{}_password", "a_".repeat(500))));
    assert!(!sensitive_key(&"A".repeat(5000)));
    assert!(sensitive_key("api key") && !sensitive_key("") && !sensitive_key("the key"));
    assert!(!sensitive_key("пароль-ключ"));
}
