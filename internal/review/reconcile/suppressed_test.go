package reconcile

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/finding"
)

// A candidate in the place of a suppressed finding stays suppressed if it is about the same code. The redacted
// quotations of two secrets are alike, so that only the fingerprint shows that a secret is the same.
func TestASuppressedFingerprintCoversTheSameCode(t *testing.T) {
	t.Parallel()
	const line, redacted = "return total / n", `key = "[redacted]"`
	for name, tt := range map[string]struct {
		origin          domain.Origin
		print, quote    string // of the candidate
		was             string // quotation of the suppressed finding
		inEffect, fresh bool
		id              string // of the fresh item
	}{
		"the same code":                       {domain.OriginModel, "now", line + " ", line, true, false, ""},
		"a former print of the code":          {domain.OriginModel, "same", "other", line, true, false, ""},
		"a print of the code before an edit":  {domain.OriginModel, "before", "other", line, true, true, ""},
		"other code":                          {domain.OriginModel, "now", "other", line, true, true, ""},
		"other code, no suppression any more": {domain.OriginModel, "now", "other", line, false, true, "fnd_1"},
		"the same code, no suppression":       {domain.OriginModel, "now", line, line, false, true, "fnd_1"},
		"another secret":                      {domain.OriginSecret, "now", redacted, redacted, true, true, ""},
		"no code, the same print":             {domain.OriginModel, "was", "", "", true, true, ""},
		"the same secret":                     {domain.OriginSecret, "was", redacted, redacted, true, false, ""},
	} {
		k := domain.Finding{ID: "fnd_1", Origin: tt.origin, State: domain.FindingSuppressed, Names: []string{"was", "same", "before"}, CodePrints: []string{"same"},
			Fingerprints: domain.Fingerprints{Exact: "was"}, Anchor: domain.Anchor{Quote: tt.was}}
		it := &finding.Item{Finding: domain.Finding{Origin: tt.origin, Severity: domain.Critical,
			Fingerprints: domain.Fingerprints{Exact: tt.print}, Anchor: domain.Anchor{Quote: tt.quote}}}
		w := world{suppressed: func(f domain.Finding) string {
			if tt.inEffect && f.HasCode("was") {
				return "sup_1"
			}
			return ""
		}}
		var r Result
		r.found(it, k, w)
		if fresh := len(r.Fresh) == 1; fresh != tt.fresh || fresh == (len(r.Carried) == 1) || it.ID != tt.id {
			t.Errorf("%s: fresh %v, carried %d, id %q", name, fresh, len(r.Carried), it.ID)
		}
	}
}

// A dismissed finding of a check does not keep a grave problem in other code away: checks have no evidence that could be new.
func TestADismissalCoversTheCodeOfACheck(t *testing.T) {
	t.Parallel()
	const was, other = "permissions: write-all", "permissions: {contents: write, actions: write}"
	for name, tt := range map[string]struct {
		origin       domain.Origin
		severity     domain.Severity
		print, quote string
		digest       string
		fresh        bool
		reopened     bool
	}{
		"other code":                    {domain.OriginStatic, domain.High, "now", other, "", true, true},
		"the same code":                 {domain.OriginStatic, domain.High, "now", was + " ", "", false, false},
		"code that it had before":       {domain.OriginStatic, domain.High, "before", other, "", false, false},
		"other code, not grave":         {domain.OriginStatic, domain.Medium, "now", other, "", false, false},
		"of a model, without evidence":  {domain.OriginModel, domain.High, "now", other, "", false, false},
		"another secret":                {domain.OriginSecret, domain.Critical, "now", was, "b", true, false},
		"another doubtful secret":       {domain.OriginSecret, domain.Low, "now", was, "b", true, false},
		"the same secret":               {domain.OriginSecret, domain.Critical, "now", was, "a", false, false},
		"the same secret in other code": {domain.OriginSecret, domain.Critical, "now", other, "a", false, false},
		"a secret that is a whole file": {domain.OriginSecret, domain.Critical, "was", "", "", false, false},
	} {
		k := domain.Finding{ID: "fnd_1", Origin: tt.origin, State: domain.FindingDismissed, Names: []string{"was", "before"}, SecretDigests: []string{"a"},
			Fingerprints: domain.Fingerprints{Exact: "was"}, Anchor: domain.Anchor{Quote: was}}
		it := &finding.Item{Finding: domain.Finding{Origin: tt.origin, Severity: tt.severity,
			Fingerprints: domain.Fingerprints{Exact: tt.print}, Anchor: domain.Anchor{Quote: tt.quote}}}
		if tt.digest != "" {
			it.SecretDigests = []string{"new", tt.digest}
		}
		r := Result{contexts: map[string]int{"": 2}}
		r.found(it, k, world{})
		if fresh := len(r.Fresh) == 1; fresh != tt.fresh || fresh == (len(r.Carried) == 1) || it.Reopened != tt.reopened || it.ID != "" {
			t.Errorf("%s: fresh %v, carried %d, reopened %v", name, fresh, len(r.Carried), it.Reopened)
		}
	}
}
