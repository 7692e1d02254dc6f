package bitbucketcloud

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/secret"
)

func signed(key, body string) string {
	m := hmac.New(sha256.New, []byte(key))
	m.Write([]byte(body))
	return signaturePrefix + hex.EncodeToString(m.Sum(nil))
}

func TestVerify(t *testing.T) {
	t.Parallel()
	const text = `{"a":1}`
	old, now := secret.New("old"+"-key"), secret.New("new"+"-key")
	header := func(signature ...string) http.Header {
		return http.Header{"X-Event-Key": {"repo:push"}, "X-Request-Uuid": {"f6266f16-1bf3-46a5-9ea4-602e06ead473"}, "X-Hub-Signature": signature}
	}
	for name, tc := range map[string]struct {
		header http.Header
		body   string
		keys   []secret.Secret
		fits   bool
	}{
		"the newest secret":      {header(signed(now.Reveal(), text)), text, []secret.Secret{now, old}, true},
		"the one before":         {header(signed(old.Reveal(), text)), text, []secret.Secret{now, old}, true},
		"a rotated secret":       {header(signed(old.Reveal(), text)), text, []secret.Secret{now}, false},
		"another body":           {header(signed(now.Reveal(), text)), text + " ", []secret.Secret{now}, false},
		"no signature":           {header(), text, []secret.Secret{now}, false},
		"an empty one":           {header("sha256="), text, []secret.Secret{now}, false},
		"without its algorithm":  {header(strings.TrimPrefix(signed(now.Reveal(), text), signaturePrefix)), text, []secret.Secret{now}, false},
		"another algorithm":      {header("sha1=" + strings.TrimPrefix(signed(now.Reveal(), text), signaturePrefix)), text, []secret.Secret{now}, false},
		"two signatures":         {header(signed(now.Reveal(), text), signed(now.Reveal(), text)), text, []secret.Secret{now}, false},
		"an unset secret":        {header(signed("", text)), text, []secret.Secret{{}}, false},
		"no secret":              {header(signed(now.Reveal(), text)), text, nil, false},
		"a signature too long":   {header(signaturePrefix + strings.Repeat("0", 200)), text, []secret.Secret{now}, false},
		"upper-case hexadecimal": {header(signaturePrefix + strings.ToUpper(strings.TrimPrefix(signed(now.Reveal(), text), signaturePrefix))), text, []secret.Secret{now}, true},
	} {
		if err := Verify(tc.header, []byte(tc.body), tc.keys); (err == nil) != tc.fits {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadHeader(t *testing.T) {
	t.Parallel()
	good := func() http.Header {
		return http.Header{"X-Event-Key": {"pullrequest:created"}, "X-Request-Uuid": {"{f6266f16-1bf3-46a5-9ea4-602e06ead473}"}}
	}
	h, err := ReadHeader(good())
	if err != nil || h.Event != "pullrequest:created" || h.Delivery != "{f6266f16-1bf3-46a5-9ea4-602e06ead473}" || h.Signature != "" {
		t.Errorf("%+v, %v", h, err)
	}
	for name, values := range map[string][]string{"X-Event-Key": {"", "Push", "a:b:c", "repo:push\n", strings.Repeat("a", 40) + ":b"}, "X-Request-Uuid": {"", "a b", strings.Repeat("a", 65)}} {
		for _, v := range values {
			bad := good()
			bad[name] = []string{v}
			if _, err := ReadHeader(bad); err == nil || v != "" && strings.Contains(err.Error(), v) {
				t.Errorf("%s %q: %v", name, v, err)
			}
		}
		twice := good()
		twice[name] = append(twice[name], twice[name][0])
		if _, err := ReadHeader(twice); err == nil {
			t.Errorf("%s twice was accepted", name)
		}
	}
}

func FuzzVerify(f *testing.F) {
	f.Add("repo:push", "x", "sha256=00", "{}")
	f.Fuzz(func(t *testing.T, event, delivery, signature, body string) {
		h := http.Header{"X-Event-Key": {event}, "X-Request-Uuid": {delivery}, "X-Hub-Signature": {signature}}
		key := secret.New("fuzz" + "-key")
		if err := Verify(h, []byte(body), []secret.Secret{key}); err == nil && !strings.EqualFold(signature, signed(key.Reveal(), body)) {
			t.Fatalf("accepted %q", signature)
		}
	})
}
