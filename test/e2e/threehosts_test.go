package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	giteaapi "github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/github/simapi"
	gitlabapi "github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/test/site"
)

// sameIDs are the first ids on all three hosts for the objects of a review, in each host's names.
func sameIDs() map[string]int64 {
	ids := map[string]int64{"user": 11, "group": 131, "repository": 71, "project": 71, "pull": 101, "mr": 101, "issue": 151, "label": 501, "hook": 601, "delivery": 701}
	for _, kind := range []string{"review", "draft", "comment", "note", "review_comment", "issue_comment"} {
		ids[kind] = 301
	}
	return ids
}

// One tenant uses GitHub, GitLab and Gitea at the same time, with equal owners, repository names, pull
// request numbers and numeric ids. Each pull request gets one review on its own host, and deliveries of
// one host change nothing on another.
func TestHostsThreeAtOnce(t *testing.T) {
	t.Parallel()
	pulls := 2
	if allHosts() {
		pulls = 10
	}
	for _, s := range crowds {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			threeHosts(t, threeWorlds(t, s), pulls)
		})
	}
}

// threeWorlds returns the views of one installation, one for each host. The first is GitHub.
func threeWorlds(t *testing.T, s storage) []*world {
	t.Helper()
	w := worldOf(t, 2*scenarioTime, s, site.Options{Owner: "acme", Beside: []domain.ConnectionKind{domain.GitLab, domain.Gitea}, FirstIDs: sameIDs()})
	maps.Copy(w.env, site.Quick())
	w.repo = "acme/shop"
	w.host = w.gh.Client
	lab, tea := *w, *w
	lab.host, tea.host = w.gitlab.Client, w.gitea.Client
	for _, v := range []*world{w, &lab, &tea} {
		for _, u := range []shared.UserSpec{{Login: account}, {Login: "dev"}, {Login: "acme", Type: "Organization", Members: map[string]string{account: "admin"}}} {
			_, err := v.host.CreateUser(w.ctx, u)
			must(t, err)
		}
		_, err := v.host.CreateRepo(w.ctx, shared.RepoSpec{Owner: "acme", Name: "shop", Files: baseFiles(), Collaborators: map[string]string{"dev": "write"}})
		must(t, err)
	}
	_, err := w.gh.Install(w.ctx, simapi.InstallSpec{AppID: w.app.ID, Account: "acme"})
	must(t, err)
	w.worked()
	lab.running, tea.running = w.running, w.running
	token, err := w.gitlab.NewToken(w.ctx, account, gitlabapi.TokenSpec{Name: "assay"})
	must(t, err)
	lab.connectTo(domain.GitLab, w.gitlab.BaseURL(), token.Text)
	other, err := w.gitea.NewToken(w.ctx, account, giteaapi.TokenSpec{Name: "assay", Scopes: scopes()})
	must(t, err)
	tea.connectTo(domain.Gitea, w.gitea.BaseURL(), other.Text)
	return []*world{w, &lab, &tea}
}

func threeHosts(t *testing.T, worlds []*world, pulls int) {
	w := worlds[0]
	testkit.Eventually(t, patience, func() (bool, string) {
		known := w.query(`SELECT external_id FROM repositories WHERE state = 'active' AND owner = 'acme' AND name = 'shop'`)
		return len(known) == 3, fmt.Sprintf("the repositories are %v", known)
	})
	if ids := w.query(`SELECT DISTINCT external_id FROM repositories`); len(ids) != 1 {
		t.Fatalf("the repositories have the ids %v: this tries nothing", ids)
	}
	for n := 1; n <= pulls; n++ {
		for _, v := range worlds {
			if pr := v.open(fmt.Sprint("bug", n), buggy()); pr.Number != n {
				t.Fatalf("it is number %d, want %d", pr.Number, n)
			}
		}
	}
	for n := 1; n <= pulls; n++ {
		for _, v := range worlds {
			testkit.Eventually(t, 2*patience, func() (bool, string) {
				got := v.marks(n)
				return len(got) == 1, fmt.Sprintf("%s/%d has the summaries %v", v.host.BaseURL(), n, got)
			})
		}
	}
	for _, v := range worlds {
		v.quiet()
	}
	owners := w.owners()
	seen := map[string]bool{}
	for i, v := range worlds {
		for n := 1; n <= pulls; n++ {
			got := v.marks(n)
			want := fmt.Sprintf("%s %d", v.host.BaseURL(), n)
			if len(got) != 1 || owners[got[0]] != want || seen[got[0]] {
				t.Errorf("host %d: number %d has the publications %v, which belong to %q", i, n, got, owners[first(got)])
			}
			seen[first(got)] = true
		}
	}
	testkit.Equal(t, "runs", w.count(`SELECT COUNT(*) FROM review_runs WHERE state = 'completed'`), 3*pulls)
	testkit.Equal(t, "publications", len(owners), 3*pulls)
	testkit.Equal(t, "hosts of repositories", w.count(`SELECT COUNT(DISTINCT host) FROM repositories`), 3)
	strange(t, worlds)
	testkit.Equal(t, "runs after strange deliveries", w.count(`SELECT COUNT(*) FROM review_runs`), 3*pulls)
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// marks returns the publications whose summary is visible on a pull request of the view's host, in any
// place.
func (w *world) marks(number int) (out []string) {
	w.Helper()
	var bodies []string
	if w.gitlab != nil && w.host == w.gitlab.Client || w.bitbucket != nil {
		all, err := w.notes(number)
		must(w.T, err)
		for _, c := range all {
			if c.Path == "" {
				bodies = append(bodies, c.Body)
			}
		}
	} else {
		all, err := w.host.VisibleReviews(w.ctx, w.repo, number)
		must(w.T, err)
		for _, r := range all {
			bodies = append(bodies, r.Body)
		}
	}
	for _, body := range bodies {
		if m := mark.FindStringSubmatch(body); m != nil {
			out = append(out, m[1])
		}
	}
	slices.Sort(out)
	return out
}

// owners returns the address of the host and the number for each publication.
func (w *world) owners() map[string]string {
	w.Helper()
	out := map[string]string{}
	for _, r := range w.query(`SELECT p.id, h.host, r.number FROM publications p JOIN review_runs r ON r.id = p.run_id JOIN repositories h ON h.id = r.repository_id WHERE p.kind = 'review'`) {
		at := r[1]
		for _, base := range []string{w.gh.BaseURL(), w.gitlab.BaseURL(), w.gitea.BaseURL()} {
			if strings.HasPrefix(at, base) {
				at = base
			}
		}
		out[r[0]] = at + " " + r[2]
	}
	return out
}

// strange posts the deliveries of each host to the addresses of the others: all refuse them.
func strange(t *testing.T, worlds []*world) {
	t.Helper()
	w := worlds[0]
	before := w.count(`SELECT COUNT(*) FROM webhook_deliveries`)
	for i, from := range worlds {
		list, err := from.host.Deliveries(from.ctx, true)
		must(t, err)
		for j, to := range worlds {
			if i == j {
				continue
			}
			for _, d := range list {
				if code := to.post(to.port, d); code < 400 || code >= 500 {
					t.Errorf("the delivery %s of host %d was answered %d at %s", d.Event, i, code, to.hooks)
				}
				dressed := d
				dressed.Headers = maps.Clone(d.Headers)
				maps.Copy(dressed.Headers, to.proofless())
				if code := to.post(to.port, dressed); code < 400 || code >= 500 {
					t.Errorf("the delivery %s of host %d in the headers of host %d was answered %d", d.Event, i, j, code)
				}
			}
		}
	}
	testkit.Equal(t, "deliveries", w.count(`SELECT COUNT(*) FROM webhook_deliveries`), before)
}

// proofless returns the headers of a host's delivery without a valid proof: the signature is that of
// another body, or the secret is left out if the host proves by a secret only.
func (w *world) proofless() map[string]string {
	w.Helper()
	list, err := w.host.Deliveries(w.ctx, true)
	must(w.T, err)
	out := maps.Clone(list[0].Headers)
	without(out, "X-Gitlab-Token")
	return out
}
