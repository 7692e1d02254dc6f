package cache

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
)

func TestKeysThatDifferRenderDifferently(t *testing.T) {
	long := strings.Repeat("x", 1000)
	keys := []Key{
		{"ten_1", "diff", "a", ""}, {"ten_1", "diff", "a", "1"}, {"ten_1", "diff", "a:1", ""}, {"ten_1", "diff", "a%3A1", ""},
		{"ten_1", "diff:a", "1", ""}, {"ten_1:diff", "a", "1", ""}, {"ten_2", "diff", "a", ""}, {"ten_1", "diff", "a=1", ""},
		{"ten_1", "diff", long, ""}, {"ten_1", "diff", long, "1"}, {"ten_1", "diff", long + "y", ""}, {"ten_2", "diff", long, ""},
	}
	digest := Key{"ten_1", "diff", long, ""}.String()
	keys = append(keys, Key{"ten_1", "diff", strings.TrimPrefix(digest, "ten_1:diff:"), ""}) // posing as a digest
	seen := map[string]Key{}
	for _, k := range keys {
		s := k.String()
		if other, twice := seen[s]; twice {
			t.Errorf("%v and %v both render as %q", k, other, s)
		}
		seen[s] = k
		if len(s) > maxRendered || !strings.HasPrefix(s, escape(k.Tenant)+":") {
			t.Errorf("%d bytes, want at most %d with the tenant first", len(s), maxRendered)
		}
	}
}

func TestKeyRendering(t *testing.T) {
	if got := (Key{"ten_1", "models", "cred_9", "v3"}).String(); got != "ten_1:models:cred_9:v3" {
		t.Errorf("String = %q", got)
	}
}

func TestKeyCheck(t *testing.T) {
	long := strings.Repeat("x", 65)
	for _, k := range []Key{{}, {"", "k", "i", ""}, {"t", "", "i", ""}, {"t", "k", "", "v"}, {long, "k", "i", ""}, {"t", long, "i", ""}} {
		if err := k.Check(); !errs.Is(err, errs.Internal) || strings.Contains(err.Error(), long) {
			t.Errorf("Check(%v) = %v, want an internal error without the value", k, err)
		}
	}
	if err := (Key{Instance, "k", "i", ""}).Check(); err != nil {
		t.Error(err)
	}
}
