package check

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/regexp"
)

// grade is how a review reports a value that looks like a secret.
type grade uint8

const (
	isPublic grade = iota // not at all: everyone may know it
	doubtful              // in a line of the summary
	certain               // as a failed check
)

// candidate is a value that a rule took for a secret, with its surroundings.
type candidate struct {
	Secret
	file  *diff.File
	named bool          // the rule rests on a name beside the value
	text  string        // the searched text
	whole func() string // the file at the head, "" if unknown
}

// grade judges a candidate. Rules for values with a distinctive form hold, except for samples that a vendor
// documents. Other rules rest on a word beside the value, which public values have too.
func (c candidate) grade() grade {
	key := c.key()
	switch {
	case isSample(c.value):
		return isPublic
	case c.RuleID == kubernetesRule:
		return c.gradeKubernetes()
	case isPublicToken(c.value), c.RuleID == privateKeyRule && isKeyOutline(c.value):
		return isPublic
	case c.RuleID == terraformRule && isPlaceholder(strings.Trim(c.value, `"`)):
		return isPublic
	case c.RuleID == googleRule && c.inFirebaseConfig():
		return doubtful
	case !c.named && !isOurs(c.RuleID):
		return certain
	case valueKindOf(key) == credentialNoun && gradeCredentials(c.value) != isPublic:
		if inSamples(c.file) {
			return doubtful
		}
		return gradeCredentials(c.value)
	case c.RuleID == genericRule && namesID(key):
		return isPublic
	case isHash(key, c.value), c.sealed(key, c.value), c.digest(key), isAddress(key, c.value), isPublicKey(c.value),
		isSecretName(key, c.value),
		!isOurs(c.RuleID) && (hasSampleWords(c.value) || printable(decoded(c.value)) && isPlain(string(decoded(c.value)))):
		return isPublic
	case namesText(key) && readsAsWords(c.value), namesPublicKey(key):
		return isPublic
	case isOurs(c.RuleID):
		switch {
		case !inSamples(c.file):
			return c.ownGrade
		case c.ownGrade == certain:
			return doubtful
		}
		return isPublic
	case c.RuleID != genericRule:
		return certain
	case inSamples(c.file) && cursorKey.MatchString(key):
		return isPublic
	case encodesText(c.value), inSamples(c.file), isWeak(c.value) && !(uuidForm.MatchString(c.value) && valueKindOf(key) == tokenNoun) &&
		(valueKindOf(key) != passwordNoun || strength(passwordNoun, c.value) != certain):
		return doubtful
	}
	return certain
}

var keyBefore = regexp.MustCompile(`([\w.-]+)[\s'"\]]{0,3}(?:=>|:{1,3}=?|=|\|\||\?=|,|>)?[\x60'"\s=]{0,5}$`)

// key returns the name before the value, "" if it has no name.
func (c candidate) key() string {
	if c.Secret.key != "" {
		return c.Secret.key
	}
	const reach = 200
	if m := keyBefore.FindStringSubmatch(c.text[max(0, c.Start-reach):c.Start]); m != nil {
		return m[1]
	}
	return ""
}

// kubernetesRule matches every value of a Kubernetes Secret, because the value is any base64.
const kubernetesRule = "kubernetes-secret-yaml"

// publicKeys matches keys of Kubernetes secrets whose values are public: certificates, accounts and
// addresses.
var publicKeys = regexp.MustCompile(`(?i)(?:^|[._-])(?:crt|cert|cer|certificate|pub|csr|crl|user(?:_?-?name)?|login|` +
	`account(?:_?-?name)?|email|host(?:name)?|port|namespace|region|` +
	`bucket|database|db(?:_?-?name)?|name|endpoint|issuer|type|provider|server|schema|engine|enabled|id)$`)

// gradeKubernetes grades a value of a Kubernetes Secret by its decoded form. Bytes that are not text count as
// secret. A text counts if its form or its key marks it as a secret.
func (c candidate) gradeKubernetes() grade {
	key, value, _ := strings.Cut(c.value, ":")
	value = strings.Trim(value, " \t\r\n\"'|>+-")
	raw := string(decoded(value))
	text := strings.TrimSpace(raw)
	switch {
	case c.sealed(key, value), fingerprint.MatchString(value), isPlain(value), isHash(key, text),
		strings.HasPrefix(raw, "-----BEGIN ") && !strings.Contains(raw, "PRIVATE KEY"):
		return isPublic
	case strings.HasPrefix(raw, "-----BEGIN "):
		return certain
	case publicKeys.MatchString(key) && (isText(text) || strings.HasSuffix(strings.ToLower(key), "crt")):
		return isPublic
	case !isText(text), valueKindOf(key) != noNoun && !isPlaceholder(text):
		return certain
	case strings.Contains(text, "\n"):
		if slices.ContainsFunc(secretsByPosition("a.env", text), func(s Secret) bool { return s.ownGrade != isPublic }) {
			return certain
		}
		return isPublic
	case strength(passwordNoun, text) != isPublic && !isSecretName("", text) ||
		strings.Contains(text, "://") && len(secretsByPosition("", text)) > 0:
		return certain
	}
	return isPublic
}

// isText reports whether a text consists of printable characters.
func isText(s string) bool {
	return s != "" && utf8.ValidString(s) &&
		strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune("\n\r\t", r) && !unicode.IsPrint(r) }) < 0
}

// fingerprint matches the fingerprint of a person's key as sops writes it.
var fingerprint = regexp.MustCompile(`^[0-9A-F]{40}$`)

var (
	sealedKey  = regexp.MustCompile(`(?i)(?:encrypt|cipher|sealed|wrapped)`)
	sealedFile = regexp.MustCompile(`(?m)(?:^kind:[ \t]*["']?SealedSecret\b|^\s*"?kind"?:[ \t]*"SealedSecret"|\bencryptedData"?:)`)
	// sealedForm matches ciphertexts of AWS KMS, GCP KMS and Fernet by their beginnings.
	sealedForm = regexp.MustCompile(`^(?:AQICA[A-Za-z0-9+/]|AQECA[A-Za-z0-9+/]|Ci[QU]A[A-Za-z0-9+/]|gAAAAAB)[\w+/-]{72,}={0,2}$`)
	// sealedKube matches output of kubeseal: it begins with the length of its RSA key, 2048 or 4096 bits,
	// and is longer than the key.
	sealedKube = regexp.MustCompile(`^A[gQ][A-Za-z0-9+/]{198,}={0,2}$`)
)

// sealedStarts are the beginnings of ciphertexts and certificates in base64.
var sealedStarts = []string{"Salted__", "age-encryption.org/v1\n", "-----BEGIN AGE ENCRYPTED FILE-----", "-----BEGIN PGP MESSAGE-----",
	"$ANSIBLE_VAULT;",
	"-----BEGIN CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----"}

// minSealed is the least number of bytes of a ciphertext beside a name such as encryptedToken: a nonce, a
// tag, and more than a key has.
const minSealed = 48

// sealed reports whether a value is a ciphertext: by its own form, or by its name and a length that keys do
// not have.
func (c candidate) sealed(key, value string) bool {
	if sealedForm.MatchString(value) {
		return true
	}
	raw := decoded(value)
	if slices.ContainsFunc(sealedStarts, func(s string) bool { return strings.HasPrefix(string(raw), s) }) {
		return true
	}
	if sealedKube.MatchString(value) && (sealedFile.MatchString(c.text) || sealedFile.MatchString(c.whole())) {
		return true
	}
	return sealedKey.MatchString(key) && len(raw) >= minSealed
}

// decoded decodes hexadecimal or base64, and returns nil if the value is neither. It decodes only whole
// groups of base64, because rules may cut the padding.
func decoded(s string) []byte {
	if b, err := hex.DecodeString(s); err == nil {
		return b
	}
	s = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(s, "="))
	b, err := base64.StdEncoding.DecodeString(s[:len(s)/4*4])
	if err != nil {
		return nil
	}
	return b
}

var (
	digestKey = regexp.MustCompile(`(?i)(?:check_?sum|sha_?-?(?:1|224|256|384|512)|md5|blake[23][bs]?|digest|hash|integrity|finger_?-?print|` +
		`thumb_?-?print|etag|commit|revision)(?:[_-]?(?:hex|b64|base64|value|sum))?$`)
	digestValue = regexp.MustCompile(`^(?:sha(?:1|224|256|384|512)[-_][A-Za-z0-9+/=_-]{20,}|h1[:-][A-Za-z0-9+/=]{40,})$`)
	hexValue    = regexp.MustCompile(`^(?:[0-9a-f]+|[0-9A-F]+)$`)
	sumsFile    = regexp.MustCompile(`(?i)(?:\.lock|\.lockfile|\.sum|\.sha(?:1|256|512)(?:sum)?|sha(?:1|256|512)sums?(?:\.txt)?|` +
		`checksums?(?:\.txt)?|\.resolved|manifest\.toml)$`)
)

// digest reports whether a value is a digest: in a file of checksums, or beside a name that ends with a
// word for digests.
func (c candidate) digest(key string) bool {
	if digestValue.MatchString(c.value) {
		return true
	}
	isHex := hexValue.MatchString(c.value) && slices.Contains([]int{32, 40, 56, 64, 96, 128}, len(c.value))
	if (c.file.Class == diff.ClassLock || sumsFile.MatchString(path.Base(c.file.Path))) && isHex {
		return true
	}
	return digestKey.MatchString(key) && (isHex || len(decoded(c.value)) >= 20)
}

// hashForm matches the hash of a password in the formats of crypt(3), argon2, bcrypt, scrypt, Django, LDAP,
// PostgreSQL and MySQL.
var hashForm = regexp.MustCompile(`^(?:\$(?:2[abxy]?|argon2(?:id?|d)|s?crypt|pbkdf2[\w-]*|[156y]|gy|7|md5|sha1|apr1|bcrypt[\w-]*|` +
	`scram[\w-]*)\$[\w./+$=,-]{16,}|\$argon2(?:id?|d)\$v=\d.*|` +
	`(?:pbkdf2|scrypt|bcrypt|argon2|(?:pbkdf2|bcrypt)_sha\d+|scrypt:\d+:\d+:\d+|pbkdf2:sha\d+:\d+)\$[\w./+$=,-]{16,}|` +
	`\{(?:S?SHA\d*|S?MD5|CRYPT)\}[\w./+$=-]{16,}|` +
	`SCRAM-SHA-\d+\$\S{16,}|\*[0-9A-F]{40})$`)

// isHash reports whether a value is the hash of a password, by its form or by a name such as
// hashedPassword.
func isHash(key, value string) bool {
	if hashForm.MatchString(strings.ReplaceAll(value, "$$", "$")) {
		return true
	}
	words := nameWords(key)
	return (slices.Contains(words, "hashed") || slices.Contains(words, "hash")) &&
		valueKindOf(key) == passwordNoun && len(decoded(value)) >= 16
}

// uuidForm matches tokens of registries and vaults, which count only beside a name of a secret.
var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$`)

var (
	hexAddress  = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)
	hexWord     = regexp.MustCompile(`^0x[0-9a-fA-F]{64}$`)
	wordKey     = regexp.MustCompile(`(?i)(?:hash|topic|root|role|tx(?:_?id)?|slot|separator|selector|domain|block)$`)
	privateKey  = regexp.MustCompile(`(?i)(?:priv|secret|passw|mnemonic|seed|signer|deployer)`)
	base58      = regexp.MustCompile(`^[1-9A-HJ-NP-Za-km-z]{32,44}$`)
	addressKey  = regexp.MustCompile(`(?i)(?:address|addr|mint|contract|program(?:_?id)?|wallet|pubkey)(?:es|s)?\d?$`)
	bech32Value = regexp.MustCompile(`^(?:bc1|tb1|ltc1|addr1|cosmos1|osmo1|npub1|age1)[02-9ac-hj-np-z]{20,110}$`)
)

// isAddress reports whether a value names an account or a contract on a chain, or is the public half of a
// key. 64 digits can be a private key, so the name decides.
func isAddress(key, value string) bool {
	switch {
	case hexAddress.MatchString(value), bech32Value.MatchString(value):
		return true
	case hexWord.MatchString(value):
		return wordKey.MatchString(key) && !privateKey.MatchString(key)
	}
	return base58.MatchString(value) && addressKey.MatchString(key) && !privateKey.MatchString(key)
}

// publicForm matches the browser keys that Stripe, Clerk, Mapbox, PostHog, Supabase and Datadog document,
// and public SSH keys.
var publicForm = regexp.MustCompile(`^(?:pk_(?:live|test)_[A-Za-z0-9]{10,}[$=]{0,2}|pk\.eyJ[\w-]{10,}\.[\w-]{20,}|phc_[A-Za-z0-9]{30,}|` +
	`sb_publishable_[\w-]{20,}|pub[0-9a-f]{32}|` +
	`AAAA(?:B3NzaC1yc2E|C3NzaC1lZDI1NTE5|E2VjZHNhL)[A-Za-z0-9+/]+={0,3})$`)

// minEncoded is the length of the shortest text in base64 that is judged by its words. Fewer random bytes could read as text.
const minEncoded = 9

// encodesText reports whether a value is readable text or JSON in base64, such as a position in a list, and no part of the text
// looks like a secret.
func encodesText(value string) bool {
	raw := decoded(value)
	if len(raw) < minEncoded || !printable(raw) || len(secretsByPosition("a.yaml", string(raw))) > 0 {
		return false
	}
	words := strings.FieldsFunc(string(raw), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return !slices.ContainsFunc(words, func(w string) bool { return max(strength(passwordNoun, w), strength(tokenNoun, w)) == certain })
}

// isPublicKey reports whether the form of a key marks it as public.
func isPublicKey(value string) bool { return publicForm.MatchString(value) }

// isPublicToken reports whether a JSON Web Token is the one that Supabase gives to every browser. Its token
// for the service role is a secret.
func isPublicToken(value string) bool {
	parts := strings.Split(value, ".")
	var claims struct{ Iss, Role string }
	return len(parts) == 3 && len(value) <= maxWebToken && readPart(parts[1], &claims) && claims.Iss == "supabase" && claims.Role == "anon"
}

// terraformRule matches every value beside a password.
const terraformRule = "hashicorp-tf-password"

// keyRun matches a part of a key in base64.
var keyRun = regexp.MustCompile(`[A-Za-z0-9+/]{16,}`)

// isKeyOutline reports whether a private key has only dots or words between its first and its last line,
// too few for a key. The smallest keys have 64 characters of base64.
func isKeyOutline(value string) bool {
	for part := range strings.SplitSeq(value, "-----BEGIN") {
		body, _, _ := strings.Cut(part, "-----END")
		n := 0
		for _, run := range keyRun.FindAllString(body, -1) {
			n += len(run)
		}
		if n >= 48 {
			return false
		}
	}
	return true
}

// googleRule finds keys of Google, also those that Firebase documents as public, because a key may also be
// allowed to use other services of the project.
const googleRule = "gcp-api-key"

var firebaseForm = regexp.MustCompile(`\.firebaseapp\.com|messagingSenderId|mobilesdk_app_id|GCM_SENDER_ID|FIREBASE_API_KEY`)

// inFirebaseConfig reports whether a key stands in the configuration of a Firebase application.
func (c candidate) inFirebaseConfig() bool {
	return firebaseForm.MatchString(c.text) || firebaseForm.MatchString(c.whole())
}

var cursorKey = regexp.MustCompile(`(?i)(?:cursor|(?:page|next|sync|continuation)_?-?token|page_?-?key|` +
	`scroll_?-?id|start_?-?key|evaluated_?-?key|bookmark)`)

var (
	passwordKey = regexp.MustCompile(`(?i)(?:passw|pwd|passphrase|pin)`)
	nameWord    = regexp.MustCompile(`^(?:[a-z]{1,16}|[A-Z]{1,16}|[A-Z][a-z]|(?:[A-Z]?[a-z]{2,15}){1,4})$`)
	nameNumber  = regexp.MustCompile(`^(?:[a-z]{1,6}|[A-Z]{1,6})?\d{1,4}[A-Za-z]?$`)
	vowel       = regexp.MustCompile(`(?i)[aeiouy]`)
)

// isSecretName reports whether a value names a secret that is stored elsewhere: words with separators, such
// as ops/db-token-2 or meta-llama/Llama-3.1-8B. It returns false beside a name of a password, because a
// password can be such words.
func isSecretName(key, value string) bool {
	if passwordKey.MatchString(key) {
		return false
	}
	words, numbers := 0, 0
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("-_./", r) }) {
		switch {
		case nameWord.MatchString(part):
			if vowel.MatchString(part) && len(part) > 1 {
				words++
			}
		case nameNumber.MatchString(part):
			numbers++
		default:
			return false
		}
	}
	return words >= 2 && numbers <= 3 && words > numbers
}

// minBits is the least entropy, in bits for each character, of a value that the generic rule reports.
// Hexadecimal values are exempt, because they have less in any case.
const minBits = 3.7

// tokenBits is the same bound for a token in a position that the syntax of the file marks as a secret.
const tokenBits = 3.3

func isWeak(value string) bool { return !hexValue.MatchString(value) && bits(value) < minBits }

// bits returns the entropy of a value in bits for each character.
func bits(value string) (sum float64) {
	counts := map[rune]float64{}
	for _, r := range value {
		counts[r]++
	}
	n := float64(len([]rune(value)))
	for _, k := range counts {
		sum -= k / n * math.Log2(k/n)
	}
	return sum
}
