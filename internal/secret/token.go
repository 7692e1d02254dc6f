package secret

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"math/big"
	"strings"
)

// Kind is the kind of one of our tokens. It is part of the token's prefix, so that a token of one kind is
// never accepted as another.
type Kind string

// The kinds of tokens; the variable kinds lists them too.
const (
	Session     Kind = "sess"   // session cookie
	Setup       Kind = "setup"  // first setup of an instance
	SetupCookie Kind = "setupc" // cookie of the browser that goes through setup
	Link        Kind = "link"   // one-time sign-in link
	MCP         Kind = "mcp"    // MCP token
	Invitation  Kind = "invite" // link that gives a role in a tenant
	Webhook     Kind = "hook"   // signs a host's deliveries to us
	State       Kind = "state"  // parameter state of a pending sign-in
	Binding     Kind = "bind"   // cookie that binds a sign-in to a browser
	InstanceKey Kind = "key"    // instance key, see [ParseKeys]
)

const (
	base62       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	tokenBytes   = 20 // 160 bits; setup tokens require at least 128
	keyBytes     = 32 // 256 bits for the instance key
	checksumSize = 6  // 62^6 > 2^32
)

// bodySize returns the number of random bytes of a kind, and of the base 62 characters that encode them.
func bodySize(kind Kind) (bytes, chars int) {
	if kind == InstanceKey {
		return keyBytes, 43 // 62^43 > 2^256
	}
	return tokenBytes, 27 // 62^27 > 2^160
}

// NewToken returns a new token "assay_<kind>_<body><checksum>". The body is random (160 bits, 256 for an
// instance key) in base 62, and the checksum is CRC-32 (IEEE) of everything before it in six base 62
// characters. The form follows GitHub's
// (https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/), so
// that secret scanners recognise tokens with hardly any false hit.
func NewToken(kind Kind) Secret {
	n, _ := bodySize(kind)
	raw := make([]byte, n)
	_, _ = rand.Read(raw) // never returns an error (package documentation of crypto/rand)
	return tokenOf(kind, raw)
}

// Derive returns a token of a kind for one purpose, derived from a secret. It is always the same, and
// reveals nothing about the secret or about tokens for other purposes.
func Derive(kind Kind, from Secret, purpose string) Secret {
	n, _ := bodySize(kind)
	mac := hmac.New(sha256.New, []byte(from.Reveal()))
	_, _ = mac.Write([]byte(purpose)) // a hash never fails
	return tokenOf(kind, mac.Sum(nil)[:n])
}

func tokenOf(kind Kind, raw []byte) Secret {
	_, chars := bodySize(kind)
	head := ours + string(kind) + "_" + encode62(new(big.Int).SetBytes(raw), chars)
	return New(head + checksum(head))
}

// CheckToken reports whether text has the form and the checksum of a token of the kind. It does not know
// which tokens exist; it saves a lookup for mistyped ones.
func CheckToken(kind Kind, text string) bool {
	body, ok := strings.CutPrefix(text, ours+string(kind)+"_")
	_, chars := bodySize(kind)
	if !ok || len(body) != chars+checksumSize {
		return false
	}
	for i := range len(body) {
		if strings.IndexByte(base62, body[i]) < 0 {
			return false
		}
	}
	head := text[:len(text)-checksumSize]
	return checksum(head) == text[len(head):]
}

// Hash returns the SHA-256 of a token in lower-case hexadecimal (64 characters), the only form in which
// tokens are stored. Plain SHA-256 is enough because tokens have at least 160 random bits.
func Hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Prefix returns the part of a token that lists may show: the kind and the first four characters of the
// body. It returns "" for text that is not one of our tokens.
func Prefix(token string) string {
	rest, ok := strings.CutPrefix(token, ours)
	if !ok {
		return ""
	}
	kind, body, ok := strings.Cut(rest, "_")
	if !ok || len(body) < 4+checksumSize {
		return ""
	}
	return ours + kind + "_" + body[:4]
}

func checksum(head string) string {
	return encode62(new(big.Int).SetUint64(uint64(crc32.ChecksumIEEE([]byte(head)))), checksumSize)
}

// encode62 writes v in exactly size digits, most significant first.
func encode62(v *big.Int, size int) string {
	out := make([]byte, size)
	base, rem := big.NewInt(62), new(big.Int)
	for i := size - 1; i >= 0; i-- {
		v.DivMod(v, base, rem)
		out[i] = base62[rem.Int64()]
	}
	return string(out)
}
