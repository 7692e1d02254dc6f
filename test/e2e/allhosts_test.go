package e2e

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/model"
	"github.com/assay-dev/assay/sim/model/script"
	"github.com/assay-dev/assay/test/site"
)

// everyHost is every kind of host. The first is GitHub.
var everyHost = []domain.ConnectionKind{"", domain.GitLab, domain.Gitea, domain.Forgejo, domain.BitbucketCloud, domain.BitbucketDataCenter, domain.AzureDevOps}

// sameIDs are the first ids on all hosts for the objects of a review, in each host's names.
func sameIDs() map[string]int64 {
	ids := map[string]int64{"user": 11, "group": 131, "repository": 71, "project": 71, "pull": 101, "mr": 101, "issue": 151, "label": 501, "hook": 601, "subscription": 601, "delivery": 701}
	for _, kind := range []string{"review", "draft", "comment", "note", "thread", "review_comment", "issue_comment"} {
		ids[kind] = 301
	}
	return ids
}

// One tenant uses every host at the same time, with equal owners, repository names, pull request numbers, branches and numeric ids: one
// pull request on each host, or ten with [allHosts]. A worker is killed while it reviews one of them. Each pull request gets one review on
// its own host, and deliveries of one host change nothing on another.
func TestHostsAllAtOnce(t *testing.T) {
	t.Parallel()
	p := profile{pulls: len(everyHost), every: 10 * time.Millisecond}
	if allHosts() {
		p.pulls *= 10
	}
	for _, s := range crowds {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p.onEveryHost(t, everyWorld(t, s))
		})
	}
}

// everyWorld returns the views of one installation, one for each host, in the order of everyHost.
func everyWorld(t *testing.T, s storage) (views []*world) {
	t.Helper()
	w := worldOf(t, 4*scenarioTime, s, site.Options{Owner: "acme", Beside: everyHost[1:], FirstIDs: sameIDs()})
	maps.Copy(w.env, site.Quick())
	for _, kind := range everyHost {
		v := *w
		if kind != "" {
			v.views(w.site.Neighbours[kind])
		}
		v.arrange(kind)
		views = append(views, &v)
	}
	_, err := w.gh.Install(w.ctx, simapi.InstallSpec{AppID: w.app.ID, Account: "acme"})
	must(t, err)
	views[0].worked()
	for i, v := range views[1:] {
		v.running = views[0].running
		v.connect(everyHost[i+1])
	}
	return views
}

// theirPath is the file of a pull request on a host.
func theirPath(host, number int) string { return fmt.Sprintf("price/mean_%d_%d.go", host, number) }

// theirBug is the change of a pull request on a host.
func theirBug(host, number int) map[string]string {
	return map[string]string{theirPath(host, number): buggy()["price/mean.go"]}
}

func (p profile) onEveryHost(t *testing.T, views []*world) {
	w := views[0]
	testkit.Eventually(t, patience, func() (bool, string) {
		known := w.query(`SELECT external_id FROM repositories WHERE state = 'active' AND name = 'shop'`)
		return len(known) == len(views), fmt.Sprintf("the repositories are %v", known)
	})
	if ids := w.query(`SELECT DISTINCT external_id FROM repositories`); len(ids) > 2 {
		t.Fatalf("the repositories have the numbers %v, want one number, and none on Bitbucket Cloud and Azure DevOps", ids)
	}
	must(t, w.model.SetRules(w.ctx, p.theirRules(views)))
	held := w.modelFault(hang("generate"))
	opened := p.open(views, theirBug)
	for _, v := range views { // so that no delivery meets a service that is down
		must(t, v.host.WaitDeliveries(w.ctx, patience))
	}
	_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
	must(t, err)
	w.running.Signal(syscall.SIGKILL)
	w.running.Wait(patience)
	must(t, w.model.ReleaseFault(w.ctx, held, "answer"))
	w.running = w.again()
	p.ended(t, w)
	for _, v := range views {
		v.quiet()
	}
	p.check(t, w, opened)
	for _, o := range opened {
		i := slices.Index(views, o.world)
		path := theirPath(i, o.number)
		var on []string
		for _, c := range oursIn(o.written(o.number)) {
			if c.Path != "" {
				on = append(on, c.Path)
			}
			if other := meanFile.FindString(c.Body); other != "" && other != path {
				t.Errorf("host %d: a text on number %d names %s: %s", i, o.number, other, c.Body)
			}
		}
		testkit.Equal(t, fmt.Sprintf("host %d: the comments of number %d", i, o.number), fmt.Sprint(on), fmt.Sprint([]string{path}))
	}
	testkit.Equal(t, "hosts of repositories", w.count(`SELECT COUNT(DISTINCT host) FROM repositories`), len(views))
	indexed(t, views)
	strange(t, views)
	testkit.Equal(t, "runs after strange deliveries", w.count(`SELECT COUNT(*) FROM review_runs`), p.pulls)
}

// indexed pushes to the default branch on each host and waits until the code index has the commit, which needs the event of the push: the
// branches are read every 15 minutes only.
func indexed(t *testing.T, views []*world) {
	t.Helper()
	for i, v := range views {
		head := v.push("main", map[string]string{fmt.Sprintf("indexed/host_%d.go", i): "package indexed\n"})
		testkit.Eventually(t, patience, func() (bool, string) {
			rows := v.query(`SELECT r.host, i.state, i.commit_sha, i.reason FROM code_indexes i JOIN repositories r ON r.id = i.repository_id`)
			return slices.ContainsFunc(rows, func(r []string) bool { return r[1] == "ready" && r[2] == head }),
				fmt.Sprintf("host %d: no index has %s: %v", i, head, rows)
		})
	}
}

// meanFile matches a [theirPath].
var meanFile = regexp.MustCompile(`price/mean_\d+_\d+\.go`)

// theirRules makes the model find the bug in each [theirPath].
func (p profile) theirRules(views []*world) []model.Rule {
	var planted []script.Planted
	for i := range views {
		for n := 1; n <= p.pulls/len(views); n++ {
			bug := plantedBug()
			bug.Path = theirPath(i, n)
			bug.Explanation += " The file is " + bug.Path + "."
			planted = append(planted, bug)
		}
	}
	return script.ForPlanted(planted)
}

// summaries returns our visible summaries on a pull request of any host, oldest first, with their marks.
func (w *world) summaries(number int) (out []shared.Comment) {
	w.Helper()
	if w.gh == nil && w.gitea == nil {
		all, err := w.notes(number)
		must(w.T, err)
		return slices.DeleteFunc(all, func(c shared.Comment) bool { return c.Path != "" || !mark.MatchString(c.Body) })
	}
	all, err := w.host.VisibleReviews(w.ctx, w.repo, number)
	must(w.T, err)
	for _, r := range all {
		if mark.MatchString(r.Body) {
			out = append(out, shared.Comment{ID: r.ID, User: r.User, Body: r.Body, CreatedUS: r.SubmittedUS})
		}
	}
	return out
}

// marks returns the publications whose summary is visible on a pull request of the view's host.
func (w *world) marks(number int) (out []string) {
	w.Helper()
	for _, c := range w.summaries(number) {
		out = append(out, mark.FindStringSubmatch(c.Body)[1])
	}
	slices.Sort(out)
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
