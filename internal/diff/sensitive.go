package diff

import (
	"path"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// sensitiveWord matches security terms as whole words of a path after its camel case is split:
// authentication, cryptography, payments, serialisation.
var sensitiveWord = regexp.MustCompile(`(^|[^a-z])(auth|authn|authz|authenticat\w*|authoriz\w*|authoris\w*|login|logout|` +
	`signin|signup|session|sessions|` +
	`oauth\d?|oidc|saml|sso|jwt|jwks|passwords?|passwd|credentials?|secrets?|tokens?|csrf|cors|rbac|acl|permissions?|polic(y|ies)|roles?|` +
	`crypto|cryptograph\w*|cipher|ciphers|encrypt\w*|decrypt\w*|signature|signatures|signing|hmac|tls|ssl|x509|certs?|certificates?|` +
	`keystore|vault|` +
	`payments?|billing|invoices?|checkout|stripe|paypal|ledger|wallet|refunds?|` +
	`deseriali[sz]\w*|unmarshal\w*|pickle|sandbox|sanitiz\w*|sanitis\w*|webhooks?|ssrf|xss|sudo|security)([^a-z]|$)`)

var camel = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// Sensitive reports whether a path belongs to a sensitive area: authentication, cryptography, payments,
// migrations, CI workflows, Dockerfiles, infrastructure as code, deserialisation. It returns true in
// doubtful cases, but never for documents and lock files.
func Sensitive(name string) bool {
	class, language := Classify(name, nil)
	switch class {
	case ClassMigration, ClassCI:
		return true
	case ClassDocs, ClassLock, ClassBinary, ClassMinified:
		return false
	}
	switch language {
	case "Docker", "Terraform", "HCL", "Rego", "Nix", "Solidity":
		return true
	}
	lower := strings.ToLower(name)
	base := path.Base(lower)
	if base == "codeowners" || strings.HasPrefix(base, "docker-compose") || strings.HasPrefix(base, "compose.") || base == "chart.yaml" ||
		base == "kustomization.yaml" || strings.HasPrefix(base, ".env") || base == ".npmrc" || base == ".gitattributes" {
		return true
	}
	for dir := range strings.SplitSeq(path.Dir(lower), "/") {
		switch dir {
		case "terraform", "helm", "k8s", "kubernetes", "ansible", "pulumi", "cloudformation", "charts":
			return true
		}
	}
	return sensitiveWord.MatchString(strings.ToLower(camel.ReplaceAllString(name, "${1}_$2")))
}
