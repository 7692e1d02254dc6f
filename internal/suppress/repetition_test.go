package suppress_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// comment dismisses a finding as a comment of a person of the code host.
func (d *desk) comment(host domain.HostID, finding string) {
	d.t.Helper()
	out, err := d.Features.Approvals.DismissByComment(bg, d.Tenant, d.Repository, domain.DismissalByComment{Finding: finding, Reason: "we want it so",
		AuthorLogin: "someone", AuthorID: host, PullLogin: "author", PullAuthor: "1"})
	testkit.OK(d.t, err)
	testkit.Equal(d.t, "outcome", out, domain.DismissalDone)
}

// People who dismiss by comments are told apart by the code host's ids. A person who has signed in since is one
// person with their user.
func TestRefusalsByCommentsCountPeople(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		people  string // of the dismissals: a digit for a user of the host, m for mona
		sameOne bool   // mona signs in as user 7 of the host before the last dismissal
		want    bool
	}{
		"two users of the host":            {"787", false, true},
		"one user of the host":             {"777", false, false},
		"a user of the host and mona":      {"7mm", false, true},
		"mona, who was user 7 of the host": {"7mm", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
				d := newDesk(t, s)
				for i, who := range tt.people {
					if i == len(tt.people)-1 && tt.sameOne {
						raw(`INSERT INTO identities (id, user_id, issuer, subject, kind, login, created_us, used_us)
							SELECT 'idn_1', $1, web_url, '7', 'codehost', 'x', 1, 1 FROM apps WHERE id = (SELECT app_id FROM installations WHERE id = $2)`,
							d.mona, d.Installation.ID)
					}
					id := d.found(60+i, bug("shop/a.go"))
					if who == 'm' {
						d.dismiss(d.mona, id)
					} else {
						d.comment(domain.HostID(who), id)
					}
				}
				if got := strings.Contains(d.said(), "rule"); got != tt.want {
					t.Errorf("proposed %v: %s", got, d.said())
				}
			})
		})
	}
}

// reopen takes the dismissal of a finding back.
func (d *desk) reopen(finding string) {
	d.t.Helper()
	_, err := d.Features.Approvals.Reopen(bg, d.Tenant, d.Repository, approval.Dismissal{Finding: finding, UserID: d.mona, Name: "name"})
	testkit.OK(d.t, err)
}

// The proposal of a rule is withdrawn when the dismissals that are left are not enough for it.
func TestATakenBackDismissalWithdrawsTheRule(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		people string   // of the dismissals: m or o
		back   []int    // dismissals that are taken back
		want   []string // state of the proposal after each
	}{
		"the first of three":      {"mom", []int{0}, []string{"withdrawn"}},
		"the last of three":       {"mom", []int{2}, []string{"withdrawn"}},
		"the third of four":       {"momo", []int{2, 0}, []string{"proposed", "withdrawn"}},
		"that of a second person": {"momm", []int{1}, []string{"withdrawn"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				d := newDesk(t, s)
				var ids []string
				for i, who := range tt.people {
					ids = append(ids, d.found(60+i, bug("shop/a.go")))
					d.dismiss(map[rune]string{'m': d.mona, 'o': d.olga}[who], ids[i])
				}
				elsewhere := d.found(90, bug("docs/a.go"))
				d.dismiss(d.mona, elsewhere)
				d.reopen(elsewhere)
				for i, n := range tt.back {
					d.reopen(ids[n])
					if want := "rule [\"shop/**\"] repetition " + tt.want[i]; !strings.Contains(d.said(), want) {
						t.Errorf("after %d: %s, want %s", i+1, d.said(), want)
					}
				}
			})
		})
	}
}

// The proposal of a fingerprint stays while a finding with that fingerprint is dismissed in a pull request.
func TestAProposalStaysWhileADismissalSupportsIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		f := bug("a.go")
		f.Fingerprints.Exact = "v1:a"
		first, second := d.found(50, f), d.found(51, f)
		other := f
		other.Fingerprints.Exact = "v1:b"
		d.dismiss(d.mona, first)
		d.dismiss(d.olga, second)
		d.dismiss(d.olga, d.found(52, other))
		const kept = "; fingerprint [] dismissal proposed"
		d.reopen(first)
		testkit.Equal(t, "one of two", d.said(), "fingerprint [] dismissal proposed"+kept)
		d.reopen(second)
		testkit.Equal(t, "both", d.said(), "fingerprint [] dismissal withdrawn"+kept)
	})
}
