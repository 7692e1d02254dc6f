package check

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"hash"
	"strings"
)

// documentedSamples are values from documentation of vendors and from RFCs, as the first 16 bytes of their
// SHA-256, so that other scanners do not take this file for a leak.
var documentedSamples = map[string]string{
	"8d4ef6536dc8895f256c1e0d95dcd197": "token of RFC 7515",
	"6c96130f130ab0d6d158397e24d2bcc1": "access token of RFC 6749",
	"00cf4c781dc37003f7c7dd7d4c9a6ef1": "refresh token of RFC 6749",
	"e9974c507d2a802143f614c878fcbb62": "client secret of RFC 6749",
	"ca7459e2b26776de081b9a07e40227fd": "client of RFC 6749",
	"cf4d418ed3de92d71f767db5391d5a2d": "Aladdin of RFC 7617",
	"78314b11be2e581549ac1c4f616563fa": "secret key of AWS",
	"e21b597ba6b9cafa59d9ebc4d65c0385": "second secret key of AWS",
	"2cafc0970149a84f3b9e62eaf169f36f": "test key of Stripe",
	"f2d6ca16515033e5dce14eba840b979d": "test key of Stripe, before",
	"2d1f7723aabc5c7a51fcdc2463c99b5f": "test key of Stripe, in Checkout",
	"7e8de44ea9ecf6d53415c90f5b249a85": "test key of Stripe, in Connect",
	"0011cc25eb4320717494d2703e8cba85": "emulator of Azure Storage",
	"85c41cbaebe213aef3dd0d7c92b1b923": "emulator of Azure Cosmos DB",
	"3543c50b0cb9cea8e55eb1f529b79f04": "personal token of GitHub",
	"bc3ae723f57c6b9e3fd80b699fcc420f": "OAuth token of GitHub",
	"82e74299544e00738f9c0acb69b1eb34": "user token of GitHub",
	"797c0ce414586cc8eb6929afe947c720": "app token of GitHub",
	"a01db4dcf67f89909c9f6462a08a0271": "refresh token of GitHub",
	"03b970ed8171d73b58bbc9a5c72e3e4e": "site key of reCAPTCHA for tests",
	"f5e95c9954635b65acab57e6d5ea663e": "secret of reCAPTCHA for tests",
	"279a2219c2388e7f062e82cf79c635e6": "key of Firebase",
	"f5c388734d28087b33b453e43c438371": "webhook of Slack",
	"a1f3235a12ea17c00af5565efba5be7f": "webhook of Slack, without scheme",
}

// sampleSecrets sign the tokens in the documentation of jwt.io, libraries and Supabase.
var sampleSecrets = []string{"your-256-bit-secret", "your-384-bit-secret", "your-512-bit-secret", "secret",
	"a-string-secret-at-least-256-bits-long",
	"a-valid-string-secret-that-is-at-least-384-bits-long", "a-valid-string-secret-that-is-at-least-512-bits-long-which-is-very-long",
	"super-secret-jwt-token-with-at-least-32-characters-long"}

// isSample reports whether a whole value is one that a vendor documents.
func isSample(value string) bool {
	sum := sha256.Sum256([]byte(value))
	return documentedSamples[hex.EncodeToString(sum[:16])] != "" || isSampleToken(value)
}

// maxWebToken is the most bytes of a JSON Web Token whose claims are read.
const maxWebToken = 2 << 10

// isSampleToken reports whether a JSON Web Token has the claims of samples and is signed with a well-known
// secret. A token with other claims is a secret, whatever signs it.
func isSampleToken(value string) bool {
	parts := strings.Split(value, ".")
	if len(parts) != 3 || len(value) > maxWebToken {
		return false
	}
	var header struct{ Alg string }
	var claims map[string]any
	if !readPart(parts[0], &header) || !readPart(parts[1], &claims) {
		return false
	}
	for name := range claims {
		switch name {
		case "sub", "name", "admin", "iat", "exp", "iss", "role":
		default:
			return false
		}
	}
	if claims["iss"] != "supabase-demo" && (claims["sub"] != "1234567890" || claims["name"] != "John Doe") {
		return false
	}
	algorithm := map[string]func() hash.Hash{"HS256": sha256.New, "HS384": sha512.New384, "HS512": sha512.New}[header.Alg]
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || algorithm == nil {
		return false
	}
	for _, secret := range sampleSecrets {
		mac := hmac.New(algorithm, []byte(secret))
		mac.Write([]byte(parts[0] + "." + parts[1]))
		if hmac.Equal(mac.Sum(nil), signature) {
			return true
		}
	}
	return false
}

func readPart(part string, into any) bool {
	b, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(b, into) == nil
}
