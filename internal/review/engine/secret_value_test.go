package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// Two keys of one form, which the same placeholder replaces.
var firstToken, otherToken = "AKIA" + "Q3EGRIJKLMNOPQ7R", "AKIA" + "Q3EGRX7N5B2VKJ4M"

// withToken is a change that adds a line with a token to a function.
func withToken(t *testing.T, token, function string) Input {
	t.Helper()
	in := sampleChange(t)
	in.Policy.Deterministic.Secrets, in.ReviewedHunks, in.DigestKeys = true, map[string]bool{}, [][]byte{[]byte("key")}
	in.look(token, function)
	return in
}

func (in *Input) look(token, function string) {
	after := strings.Replace(strings.Replace(newGo, "Average", function, 1), "	return Total(items) / len(items)",
		"	token := \""+token+"\"\n	_ = token\n	return Total(items) / len(items)", 1)
	in.Source = enginetest.Files{"LEFT:shop/shop.go": oldGo, "RIGHT:shop/shop.go": after}
	in.Diff = []byte(enginetest.Unified("shop/shop.go", oldGo, after))
}

// A suppression of a secret covers its value alone, at its place, in every pull request.
func TestASuppressionOfASecretCoversItsValue(t *testing.T) {
	t.Parallel()
	before, now := [][]byte{[]byte("key")}, []byte("new key")
	for name, tt := range map[string]struct {
		token  string
		keys   [][]byte // of the later review
		old    bool     // the suppression has the fingerprint of a version that did not know values
		hidden bool
	}{
		"the same value": {firstToken, before, false, true},
		"another value":  {otherToken, before, false, false},
		"the same value, a new key before the old":  {firstToken, [][]byte{now, before[0]}, false, true},
		"another value, a new key before the old":   {otherToken, [][]byte{now, before[0]}, false, false},
		"the same value, the old key removed":       {firstToken, [][]byte{now}, false, false},
		"the same value, suppressed by old version": {firstToken, before, true, false},
		"another value, suppressed by old version":  {otherToken, before, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := withToken(t, firstToken, "Average")
			if tt.old {
				in.DigestKeys = nil
			}
			res := review(t, in, Deps{})
			if len(res.Open()) != 1 {
				t.Fatalf("%+v", res.Findings)
			}
			in.Suppressions, in.DigestKeys = []domain.Suppression{fingerprintOf(res.Findings[0])}, tt.keys
			in.look(tt.token, "Average")
			res = review(t, in, Deps{})
			if len(res.Findings) != 1 || (len(res.Open()) == 0) != tt.hidden {
				t.Fatalf("%+v", res.Findings)
			}
			if fails := res.Conclude(res.Open(), in.Policy) == domain.CheckFailure; fails == tt.hidden {
				t.Errorf("hidden %v, the check fails %v", tt.hidden, fails)
			}
			said := slices.ContainsFunc(res.Notices, func(n string) bool { return strings.Contains(n, "is shown again") })
			if said != tt.old {
				t.Errorf("notices %q", res.Notices)
			}
		})
	}
}

// A secret that replaces another one at its place is another finding, also after a person dismissed the first.
func TestASecretReplacedByAnother(t *testing.T) {
	t.Parallel()
	const same, new = "the same finding", "a new one"
	both := [][]byte{[]byte("new key"), []byte("key")}
	for name, tt := range map[string]struct {
		state           domain.FindingState
		token, function string
		keys            [][]byte // of the later review; nil: as before
		unknown         bool     // the stored finding is of a version that did not know values
		want            string
		open            int
	}{
		"open, the same value":                       {domain.FindingOpen, firstToken, "Average", nil, false, same, 1},
		"open, another value":                        {domain.FindingOpen, otherToken, "Average", nil, false, new, 1},
		"open, another key":                          {domain.FindingOpen, firstToken, "Average", both, false, same, 1},
		"open, stored by an old version":             {domain.FindingOpen, firstToken, "Average", nil, true, same, 1},
		"dismissed, the same value":                  {domain.FindingDismissed, firstToken, "Average", nil, false, same, 0},
		"dismissed, another value":                   {domain.FindingDismissed, otherToken, "Average", nil, false, new, 1},
		"dismissed, another key":                     {domain.FindingDismissed, firstToken, "Average", both, false, same, 0},
		"dismissed, another value and key":           {domain.FindingDismissed, otherToken, "Average", both, false, new, 1},
		"dismissed, the value is in another place":   {domain.FindingDismissed, firstToken, "Mean", nil, false, new, 1},
		"dismissed, stored by an old version":        {domain.FindingDismissed, firstToken, "Average", nil, true, new, 1},
		"suppressed, another value":                  {domain.FindingSuppressed, otherToken, "Average", nil, false, new, 1},
		"suppressed, the same value and another key": {domain.FindingSuppressed, firstToken, "Average", both, false, same, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := withToken(t, firstToken, "Average")
			keys := in.DigestKeys
			if tt.unknown {
				in.DigestKeys = nil
			}
			res := review(t, in, Deps{})
			in.publish(res)
			k := &in.Known[0]
			if k.State = tt.state; tt.state == domain.FindingSuppressed {
				in.Suppressions = []domain.Suppression{fingerprintOf(*k)}
			}
			k.Names = []string{k.Fingerprints.Exact}
			id := k.ID
			if in.DigestKeys = keys; tt.keys != nil {
				in.DigestKeys = tt.keys
			}
			for round := range 2 {
				in.look(tt.token, tt.function)
				res = review(t, in, Deps{})
				if len(res.Open()) != tt.open {
					t.Fatalf("review %d: %+v", round+1, res.Findings)
				}
				for _, f := range res.Findings {
					if round == 0 && (f.ID == id) != (tt.want == same) {
						t.Errorf("the same finding %v: %+v", f.ID == id, f)
					}
				}
				if resolved := slices.Contains(res.Resolved, id); round == 0 && resolved != (tt.want == new && tt.state == domain.FindingOpen) {
					t.Errorf("resolved %v", resolved)
				}
				in.publish(res)
			}
		})
	}
}
