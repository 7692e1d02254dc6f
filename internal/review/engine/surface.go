package engine

import (
	"path"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
)

// surfaceWords are parts of names by which code touches what an attacker reaches. The list is our choice: a word too
// many costs a pass, a word too few a weakness.
const surfaceWords = `req request query header cookie body form upload multipart argv stdin getenv env environ input payload
	webhook url uri href endpoint route http https fetch socket websocket dial redirect proxy host hostname smtp dns curl wget
	path filename dirname basename file directory dir open symlink readlink chmod chown mkdir unlink rename tmp tempfile mktemp
	zip tar unzip extract archive download glob rm
	sql where execute orm ldap xpath graphql mongo
	exec spawn popen subprocess system shell sh bash cmd command fork eval sudo
	crypto cryptography encrypt decrypt cipher hashlib hmac digest bcrypt scrypt argon pbkdf rsa ecdsa aes nonce
	salt random rand urandom uuid secret token password passwd pwd passphrase credential cert certificate tls ssl verify signature
	sign jwt jwks oauth oidc saml keystore apikey
	session login logout signin signup auth authn authz authenticate authorize authorise permission permit allow deny forbid forbidden role
	rbac acl admin root owner tenant account user grant privilege privileged csrf xsrf cors policy sandbox restrict access
	html innerhtml outerhtml dangerously template render escape unescape sanitize sanitise script iframe srcdoc markup markdown xss jinja
	pickle unpickle yaml xml unmarshal deserialize deserialise decode
	redact insecure unsafe transmute trust quota malloc calloc realloc alloca memcpy memmove strcpy strcat sprintf scanf`

// surfaceStems are the words in the form in which [anchor.CountWords] counts them.
var surfaceStems = sync.OnceValue(func() anchor.Words { return anchor.CountWords(surfaceWords) })

// statement matches a query in a string, an address and a permission of a file.
var statement = regexp.MustCompile(`(?i)\b(select\s.+\sfrom|insert\s+into|delete\s+from|update\s.+\sset|drop\s+table|alter\s+table)\b|` +
	`\b[a-z][a-z0-9+.-]*://|(api|private|public|signing|secret)_?key|md5|sha-?[0-9]{1,3}|x509|\b0\.0\.0\.0\b|\b0o?[0-7]{3}\b`)

// hasSurface reports whether a file has something that an attacker can reach: by its class or path, or by a word on a
// changed line. Tests have no surface, and no model sees documents.
func hasSurface(t *change.Target) bool {
	switch t.File.Class {
	case diff.ClassMigration, diff.ClassCI:
		return true
	case diff.ClassSource, diff.ClassConfig:
	default:
		return false
	}
	name := t.File.Path
	if t.File.Class == diff.ClassConfig {
		name = strings.TrimSuffix(name, path.Ext(name)) // a format is not a surface
	}
	if diff.Sensitive(t.File.Path) || touchesSurface(name) {
		return true
	}
	for _, h := range t.Hunks {
		for _, l := range h.Lines {
			if visible, _ := anchor.Shown(l.Text); l.Op != diff.Context && touchesSurface(visible) {
				return true
			}
		}
	}
	return false
}

// touchesSurface reports whether a line or a path has a word of the surface.
func touchesSurface(text string) bool {
	if statement.MatchString(text) {
		return true
	}
	stems := surfaceStems()
	for w := range anchor.CountWords(text) {
		if _, ok := stems[w]; ok {
			return true
		}
	}
	return false
}
