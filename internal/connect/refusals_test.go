package connect_test

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracking"
	simgitea "github.com/assay-dev/assay/sim/gitea"
	giteaapi "github.com/assay-dev/assay/sim/gitea/simapi"
	giteaclient "github.com/assay-dev/assay/sim/gitea/simclient"
	simgitlab "github.com/assay-dev/assay/sim/gitlab"
	gitlabapi "github.com/assay-dev/assay/sim/gitlab/simapi"
	gitlabclient "github.com/assay-dev/assay/sim/gitlab/simclient"
	"github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/host/simclient"
)

// refusing is a simulated host that can refuse requests, and a connection to its owner acme.
type refusing struct {
	t      *testing.T
	s      *store.Store
	tenant domain.Tenant
	kind   domain.ConnectionKind
	ctl    *simclient.Client
	url    string
	row    store.ProviderConnection
	repo   simapi.Repo
	pull   simapi.Pull
	taken  int
	first  *connect.Hosts
}

// hosts opens the hosts of a new process, which has read nothing yet.
func (r *refusing) hosts() *connect.Hosts {
	if r.first == nil {
		r.first = featuretest.Hosts(r.t, r.s, r.url)
	}
	return &connect.Hosts{Store: r.s, Keyring: r.first.Keyring, Factory: r.first.Factory, Gate: &codehosttest.Gate{}, Logger: telemetry.Discard()}
}

// read returns every text that people can read about the connection: its message, and the lines of its test.
func (r *refusing) read(hosts *connect.Hosts) string {
	acts := tracking.New(tracking.Config{Store: r.s, Keyring: hosts.Keyring, Audit: audit.New(r.s, hosts.Keyring, telemetry.Discard()), Outbound: hosts.Factory, Hosts: hosts,
		Logger: telemetry.Discard(), BaseURL: "https://assay.example.com"})
	all, err := acts.Providers(r.t.Context(), r.tenant, tracking.Page{Limit: 1})
	testkit.OK(r.t, err)
	checks, err := acts.Ask(r.t.Context(), r.tenant, r.row.ID)
	testkit.OK(r.t, err)
	out := all[0].Message
	for _, c := range checks.Checks {
		if !c.OK {
			out += "\n" + c.Name + ": " + c.Message
		}
	}
	return out
}

// refusable together send every kind of request that a connection sends to its host. They drop errors, because
// callers go on without the answer.
var refusable = []func(r *refusing, ctx context.Context, c codehost.Connection, at codehost.Repo){
	func(r *refusing, ctx context.Context, c codehost.Connection, at codehost.Repo) {
		hook, key := "https://assay.example.com/webhooks/x", secret.New("hook-secret-"+fmt.Sprint(r.taken))
		_, _ = c.Probe(ctx)
		_, _ = c.Repositories(ctx)
		_, _ = c.Members(ctx, at)
		_, _ = c.PermissionOf(ctx, at, "999", "")
		_, _ = c.EnsureHook(ctx, at, hook, key)
		_, _ = c.Hook(ctx, at, hook)
		_ = c.RemoveHook(ctx, at, hook)
		if o, ok := c.(codehost.OwnerHooks); ok {
			_, _ = o.EnsureOwnerHook(ctx, hook, key)
			_, _ = o.OwnerHook(ctx, hook)
			_ = o.RemoveOwnerHook(ctx, hook, false)
		}
		access, err := r.s.AccessOfConnection(ctx, r.tenant, r.row.ID)
		testkit.OK(r.t, err)
		_, _ = c.(codehost.NewestLister).Newest(ctx, access.AccountID)
		_, _ = c.(codehost.OwnerFinder).OwnerNow(ctx, access.AccountID, []domain.HostID{at.ExternalID})
	},
	func(r *refusing, ctx context.Context, c codehost.Connection, at codehost.Repo) {
		h, number := c.(codehost.Host), r.pull.Number
		_, _ = h.PullRequest(ctx, at, number)
		_, _, _ = h.Files(ctx, at, number)
		_, _ = h.Diff(ctx, at, number)
		_, _ = h.Compare(ctx, at, r.repo.HeadSHA, r.pull.HeadSHA)
		_, _ = h.Content(ctx, at, "README.md", r.pull.HeadSHA)
		_, _ = h.Permission(ctx, at, "ann")
		_, _ = h.Threads(ctx, at, number)
		_, _ = h.OpenPullRequests(ctx, at)
		_, _ = h.MergedPullRequests(ctx, at, 5)
		if m, ok := codehost.MessengerOf(h); ok {
			_, _ = m.Messages(ctx, at, number)
		}
		if i, ok := codehost.IssueReaderOf(h); ok {
			_, _ = i.Issue(ctx, at, number)
		}
		if l, ok := codehost.IssueLinkerOf(h); ok {
			_, _ = l.LinkedIssues(ctx, at, number)
		}
	},
	func(r *refusing, ctx context.Context, c codehost.Connection, at codehost.Repo) {
		h, number := c.(codehost.Host), r.pull.Number
		check := codehost.Check{ExternalID: fmt.Sprint("run", r.taken), Name: "assay", Number: number, HeadSHA: r.pull.HeadSHA, Status: "in_progress"}
		id, _ := h.CreateCheck(ctx, at, check)
		_, _ = h.FindChecks(ctx, at, check)
		check.Status, check.Conclusion = "completed", "success"
		_ = h.UpdateCheck(ctx, at, id, check)
		r.publishes(ctx, h, at)
	},
	func(r *refusing, ctx context.Context, c codehost.Connection, at codehost.Repo) {
		h, number, label := c.(codehost.Host), r.pull.Number, fmt.Sprint("label", r.taken)
		spot := codehost.Spot{Number: number}
		said, _ := h.Reply(ctx, at, spot, markdown.Const("an answer"))
		_, _ = h.Replies(ctx, at, spot, time.Time{})
		if said.ID != "" {
			_ = h.EditComment(ctx, at, said.ID, markdown.Const("another answer"))
		}
		if l, ok := codehost.LabelerOf(h); ok {
			_, _ = l.KnownLabels(ctx, at)
			_, _ = l.Labels(ctx, at, number)
			_ = l.AddLabels(ctx, at, number, []string{label})
			_ = l.RemoveLabel(ctx, at, number, label)
		}
		if a, ok := h.(codehost.Assigner); ok {
			_, _ = a.Requested(ctx, at, number)
			_ = a.RequestReviews(ctx, at, number, []string{"own"})
			_ = a.CancelRequests(ctx, at, number, []string{"own"})
		}
	},
	func(r *refusing, ctx context.Context, c codehost.Connection, at codehost.Repo) {
		h, branch := c.(codehost.Host), fmt.Sprint("fix", r.taken)
		if w, ok := codehost.CommitterOf(h); ok {
			_, _ = w.BranchHead(ctx, at, "main")
			_ = w.CreateBranch(ctx, at, branch, r.repo.HeadSHA)
			_, _ = w.Commit(ctx, at, codehost.NewCommit{Branch: branch, Head: r.repo.HeadSHA, Message: "Fix", Files: []codehost.FileChange{{Path: branch, Content: []byte(branch)}}})
			_, _ = w.OpenPull(ctx, at, codehost.NewPull{Title: markdown.Const("Fix"), Body: markdown.Const("a fix"), Branch: branch, Base: "main"})
			_, _ = w.PullsFrom(ctx, at, branch)
			_, _ = w.CommitAt(ctx, at, r.repo.HeadSHA)
			_ = w.DeleteBranch(ctx, at, branch, r.repo.HeadSHA)
		}
		if j, ok := h.(codehost.CI); ok {
			jobs, _, _ := j.Jobs(ctx, at, r.pull.HeadSHA)
			for _, job := range jobs {
				_ = j.JobLog(ctx, at, job.ID, func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err })
			}
			_, _ = j.Results(ctx, at, r.pull.HeadSHA)
		}
	},
}

// asks sends one part of the requests to the host.
func (r *refusing) asks(hosts *connect.Hosts, part int) {
	ctx := r.t.Context()
	access, err := r.s.AccessOfConnection(ctx, r.tenant, r.row.ID)
	testkit.OK(r.t, err)
	c, err := hosts.Connected(ctx, access)
	testkit.OK(r.t, err)
	r.taken++
	refusable[part](r, ctx, c, codehost.Repo{Access: domain.HostID(r.row.ID), ExternalID: domain.NumberID(r.repo.ID), Owner: "acme", Name: "shop"})
}

// publishes publishes a review with one comment, then updates and reads it.
func (r *refusing) publishes(ctx context.Context, h codehost.Host, at codehost.Repo) {
	note := codehost.DraftComment{Path: "half.go", Side: "RIGHT", Line: 1, Body: markdown.Const("a comment")}
	if d := codehost.DirectOf(h); d != nil {
		review, _ := d.CreateReview(ctx, at, r.pull.Number, codehost.Draft{Commit: r.pull.HeadSHA, Body: markdown.Const("a review"), Comments: []codehost.DraftComment{note}})
		_, _ = h.Reviews(ctx, at, r.pull.Number)
		_, _ = h.Review(ctx, at, r.pull.Number, review.ID)
		comments, _ := h.ReviewComments(ctx, at, r.pull.Number, review.ID)
		_ = h.EditReview(ctx, at, r.pull.Number, review.ID, markdown.Const("an edited review"))
		if resolver, ok := codehost.ResolverOf(h); ok && len(comments) > 0 {
			_ = resolver.SetResolved(ctx, at, r.pull.Number, comments[0].ID, true)
		}
		_ = d.DeleteReview(ctx, at, r.pull.Number, review.ID)
	}
	if n := codehost.NotesOf(h); n != nil {
		draft, _ := n.DraftNote(ctx, at, r.pull.Number, r.pull.HeadSHA, note)
		_, _ = n.NoteDrafts(ctx, at, r.pull.Number)
		_ = n.EditNoteDraft(ctx, at, r.pull.Number, draft.ID, markdown.Const("an edited draft"))
		_ = n.PublishNote(ctx, at, r.pull.Number, draft.ID)
		_, _ = n.Notes(ctx, at, r.pull.Number)
		other, _ := n.DraftNote(ctx, at, r.pull.Number, r.pull.HeadSHA, note)
		_ = n.DeleteNoteDraft(ctx, at, r.pull.Number, other.ID)
	}
}

// grants lists the phrases with which a message names the required permission.
var grants = []string{"can grant it", "Make a token that has the scope", "make a token that has it", "Make a new one there and enter it", "Add the account to", "add it to a team"}

// A simulated host refuses each request that a connection sends, one kind after the other. People must be
// able to read which permission is missing and who can grant it. Once the request succeeds again, the message
// disappears.
func TestNoRefusalIsSwallowed(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{domain.Gitea, domain.GitLab} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			r := newRefusing(t, kind)
			ctx := t.Context()
			hosts, sent := r.hosts(), int64(0)
			parts := map[string]int{} // the part that sends each kind of request
			var kinds []string
			for part := range refusable {
				r.asks(hosts, part)
				all, err := r.ctl.Requests(ctx, simclient.RequestFilter{After: sent})
				testkit.OK(t, err)
				for _, q := range all {
					sent = max(sent, q.Seq)
					k := q.Method + " " + q.Route
					if _, there := parts[k]; q.Route == "" || there || k == "GET /version" || k == "GET /settings/api" { // the host answers these without credentials
						continue
					}
					parts[k], kinds = part, append(kinds, k)
				}
			}
			if got := r.read(hosts); got != "" || len(kinds) < 40 {
				t.Fatalf("with every right: %d kinds of requests, and people read %q", len(kinds), got)
			}
			for _, k := range kinds {
				method, route, _ := strings.Cut(k, " ")
				_, err := r.ctl.SetFault(ctx, simapi.Fault{Method: method, Path: "^" + variable.ReplaceAllStringFunc(route, func(v string) string {
					if strings.HasSuffix(v, "...}") {
						return ".+"
					}
					return "[^/]+"
				}) + "$", Times: -1, Action: simapi.Forbidden})
				testkit.OK(t, err)
				fresh := r.hosts()
				r.asks(fresh, parts[k])
				got := r.read(fresh)
				if !slices.ContainsFunc(grants, func(g string) bool { return strings.Contains(got, g) }) || strings.Contains(got, "this is left undone") {
					t.Errorf("%s is refused, and people read %q", k, got)
				}
				testkit.OK(t, r.ctl.ClearFaults(ctx))
				r.asks(fresh, parts[k])
				if got := r.read(fresh); got != "" {
					t.Errorf("%s is answered again, and people read %q", k, got)
					rows, err := r.s.HostRefusals(ctx, r.tenant, []string{r.row.ID}, time.Hour)
					testkit.OK(t, err)
					for _, v := range rows {
						testkit.OK(t, r.s.DropHostRefusal(ctx, r.tenant, r.row.ID, v.Op, v.Path))
					}
				}
			}
			t.Logf("%d kinds of requests", len(kinds))
		})
	}
}

var variable = regexp.MustCompile(`\{[^}]*\}`)

// newRefusing makes a host with a pull request, and stores a connection whose account owns the organisation.
func newRefusing(t *testing.T, kind domain.ConnectionKind) *refusing {
	t.Helper()
	ctx, s := t.Context(), storetest.SQLite(t)
	r := &refusing{t: t, s: s, tenant: storetest.Tenant(t, s), kind: kind}
	var token string
	if kind == domain.GitLab {
		srv, err := simgitlab.New(simgitlab.Options{DataDir: t.TempDir()})
		testkit.OK(t, err)
		r.url = featuretest.Serve(t, srv, "")
		ctl := gitlabclient.New(r.url, srv.ControlToken())
		r.ctl = ctl.Client
		r.people()
		made, err := ctl.NewToken(ctx, "bot", gitlabapi.TokenSpec{Scopes: []string{"api"}})
		testkit.OK(t, err)
		token = made.Text
	} else {
		srv, err := simgitea.New(simgitea.Options{DataDir: t.TempDir()})
		testkit.OK(t, err)
		r.url = featuretest.Serve(t, srv, "")
		ctl := giteaclient.New(r.url, srv.ControlToken())
		r.ctl = ctl.Client
		r.people()
		made, err := ctl.NewToken(ctx, "bot", giteaapi.TokenSpec{Scopes: []string{"read:user", "write:organization", "write:repository", "write:issue"}})
		testkit.OK(t, err)
		token = made.Text
	}
	r.row = store.ProviderConnection{ID: domain.NewID("pcn"), Tenant: r.tenant.ID, Kind: string(kind), Name: "Forge", BaseURL: r.url, Owner: "acme", Repositories: "[]", AllRepositories: true,
		Enabled: true, State: domain.ConnectionActive}
	hosts := r.hosts()
	var err error
	r.row.Token, err = hosts.Keyring.SealSecret(ctx, connect.ConnectionScope(r.tenant, r.row.ID), secret.New(token))
	testkit.OK(t, err)
	r.row, err = s.CreateProviderConnection(ctx, r.tenant, r.row)
	testkit.OK(t, err)
	host, err := hosts.Connection(ctx, r.row, secret.New(token))
	testkit.OK(t, err)
	probed, err := host.Probe(ctx)
	testkit.OK(t, err)
	_, err = s.UpsertConnectionAccess(ctx, r.tenant, store.Access{Kind: string(kind), Connection: r.row.ID, Host: r.url, AccountID: probed.Owner.ID, AccountLogin: "acme"})
	testkit.OK(t, err)
	return r
}

// people makes the accounts of the host, a repository and its pull request.
func (r *refusing) people() {
	ctx := r.t.Context()
	for _, spec := range []simapi.UserSpec{{Login: "ann"}, {Login: "bot"}, {Login: "acme", Type: "Organization", Members: map[string]string{"own": "admin", "bot": "admin"}}} {
		_, err := r.ctl.CreateUser(ctx, spec)
		testkit.OK(r.t, err)
	}
	var err error
	r.repo, err = r.ctl.CreateRepo(ctx, simapi.RepoSpec{Owner: "acme", Name: "shop", Files: map[string]string{"README.md": "# Shop\n"}, Collaborators: map[string]string{"ann": "write"}})
	testkit.OK(r.t, err)
	_, err = r.ctl.Commit(ctx, "acme/shop", simapi.CommitSpec{Branch: "topic", From: r.repo.HeadSHA, Files: map[string]string{"half.go": "package half\n"}, Author: "ann", Message: "Halve"})
	testkit.OK(r.t, err)
	r.pull, err = r.ctl.OpenPull(ctx, "acme/shop", simapi.PullSpec{Title: "Halve", Head: "topic", Author: "ann"})
	testkit.OK(r.t, err)
}
