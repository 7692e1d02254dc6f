package gitea

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

func signed(body, key string) string {
	mac := hmac.New(sha256.New, []byte(key))
	_, _ = mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

func TestVerify(t *testing.T) {
	t.Parallel()
	body, one, two := `{"a":1}`, secret.New("key"+"-one"), secret.New("key"+"-two")
	with := func(name, signature string) http.Header {
		h := deliveryHeader("X-Gitea-", "push", "push")
		h.Set(name, signature)
		return h
	}
	right := signed(body, one.Reveal())
	both := with("X-Gitea-Signature", right)
	both.Set("X-Forgejo-Signature", "")
	twice := with("X-Gitea-Signature", right)
	twice.Add("X-Gitea-Signature", right)
	for name, tc := range map[string]struct {
		kind    domain.ConnectionKind
		header  http.Header
		secrets []secret.Secret
		ok      bool
	}{
		"the secret":                    {domain.Gitea, with("X-Gitea-Signature", right), []secret.Secret{one}, true},
		"the older of two":              {domain.Gitea, with("X-Gitea-Signature", right), []secret.Secret{two, one}, true},
		"upper case":                    {domain.Gitea, with("X-Gitea-Signature", strings.ToUpper(right)), []secret.Secret{one}, true},
		"Forgejo by its own header":     {domain.Forgejo, with("X-Forgejo-Signature", right), []secret.Secret{one}, true},
		"Forgejo by Gitea's":            {domain.Forgejo, with("X-Gitea-Signature", right), []secret.Secret{one}, true},
		"Forgejo's own header is empty": {domain.Forgejo, both, []secret.Secret{one}, false},
		"Gitea by Forgejo's":            {domain.Gitea, with("X-Forgejo-Signature", right), []secret.Secret{one}, false},
		"another secret":                {domain.Gitea, with("X-Gitea-Signature", right), []secret.Secret{two}, false},
		"another body":                  {domain.Gitea, with("X-Gitea-Signature", signed(body+" ", one.Reveal())), []secret.Secret{one}, false},
		"no secrets":                    {domain.Gitea, with("X-Gitea-Signature", right), nil, false},
		"an unset secret":               {domain.Gitea, with("X-Gitea-Signature", signed(body, "")), []secret.Secret{{}}, false},
		"empty":                         {domain.Gitea, with("X-Gitea-Signature", ""), []secret.Secret{one}, false},
		"empty, unset secret":           {domain.Gitea, with("X-Gitea-Signature", ""), []secret.Secret{{}}, false},
		"absent":                        {domain.Gitea, deliveryHeader("X-Gitea-", "push", ""), []secret.Secret{one}, false},
		"twice":                         {domain.Gitea, twice, []secret.Secret{one}, false},
		"cut":                           {domain.Gitea, with("X-Gitea-Signature", right[:62]), []secret.Secret{one}, false},
		"GitHub's form":                 {domain.Gitea, with("X-Gitea-Signature", "sha256="+right), []secret.Secret{one}, false},
		"only GitHub's header":          {domain.Gitea, with("X-Hub-Signature-256", "sha256="+right), []secret.Secret{one}, false},
		"a kind of another host":        {domain.GitLab, with("X-Gitea-Signature", right), []secret.Secret{one}, false},
	} {
		if err := Verify(tc.kind, tc.header, []byte(body), tc.secrets); (err == nil) != tc.ok || err != nil && !errors.Is(err, errSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	f.Add("push", "d", "")
	f.Add("push", "d", strings.Repeat("0", 64))
	f.Fuzz(func(t *testing.T, event, delivery, signature string) {
		h := http.Header{"X-Gitea-Event": {event}, "X-Gitea-Delivery": {delivery}, "X-Gitea-Signature": {signature}}
		key := secret.New("fuzz" + "-key")
		want := strings.EqualFold(signature, signed("x", key.Reveal()))
		if err := Verify(domain.Gitea, h, []byte("x"), []secret.Secret{key}); err == nil && !want {
			t.Fatalf("%q verifies", signature)
		}
	})
}
