package main

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/fix"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A person reads why a finding has no fix in a sentence, and a program its value.
func TestRefusedFixesInWords(t *testing.T) {
	onBoth(t, func(t *testing.T, vars map[string]string, s *store.Store, w storetest.World) {
		outcome := fix.Outcome{FindingID: "fnd_1", Reason: fix.WeakensTest, Path: "a_test.go"}
		v, err := store.AddRecord(t.Context(), s, w.Tenant, store.FixRun{Record: store.Record{Repository: w.Repository.ID},
			Run: w.Run.ID, PullRequest: w.Pull.ID, Number: w.Pull.Number, HeadSHA: w.Pull.HeadSHA, FindingIDs: `["fnd_1"]`,
			Delivery: domain.FixSuggestions, State: domain.FixCompleted,
			Result: store.JSON(fix.Result{Findings: []fix.Outcome{outcome}})})
		testkit.OK(t, err)
		out := good(t, command(t, vars, "runs", "show", v.ID))
		if !strings.Contains(out, "no fix: The change makes a test check less.") || strings.Contains(out, "weakens_test") {
			t.Error(out)
		}
		if out := good(t, command(t, vars, "runs", "show", v.ID, "--json")); !strings.Contains(out, `"weakens_test"`) {
			t.Error(out)
		}
		r := command(t, vars, "runs", "list", "--kind", "triage", "--pull-request", "1")
		if r.code != exitUsage || !strings.Contains(r.stderr, "review, fix and ci") {
			t.Errorf("%d %s", r.code, r.stderr)
		}
	})
}

// A value that is not a number is refused in words, and so is a number that no pull request has.
func TestPullRequestNumbers(t *testing.T) {
	for value, want := range map[string]string{
		"x":                    `--pull-request must be a whole number`,
		"1.5":                  `--pull-request must be a whole number`,
		"99999999999999999999": `--pull-request must be a whole number`,
		"-1":                   "--pull-request must be a number above 0",
	} {
		r := command(t, nil, "runs", "list", "--pull-request="+value)
		if r.code != exitUsage || !strings.Contains(r.stderr, want) || strings.Contains(r.stderr, "64 bit") {
			t.Errorf("%s: %d %s", value, r.code, r.stderr)
		}
	}
}

// The list of one kind of runs has no run of another kind, accepts the states of its kind, and each of
// its runs can be shown.
func TestRunsOfAKind(t *testing.T) {
	onBoth(t, func(t *testing.T, vars map[string]string, s *store.Store, w storetest.World) {
		own := store.Record{Repository: w.Repository.ID}
		dry, err := s.CreateDryRun(t.Context(), w.Tenant, store.DryRun{Record: own, Label: "stricter \x1b[31m", Overrides: `{"policy":{"tone":"terse"}}`}, []int{w.Pull.Number, 4711})
		testkit.OK(t, err)
		triage, made, err := s.CreateTriage(t.Context(), w.Tenant, store.TriageRun{Record: own, PullRequest: w.Pull.ID, Number: w.Pull.Number, HeadSHA: w.Pull.HeadSHA, Cause: "pull_request.opened"})
		testkit.OK(t, err)
		testkit.Equal(t, "made", made, true)
		fixes, made, err := s.CreateFixRun(t.Context(), w.Tenant, store.FixRun{Record: own, Run: w.Run.ID, PullRequest: w.Pull.ID, Number: w.Pull.Number, HeadSHA: w.Pull.HeadSHA, FindingIDs: `["fnd_1","fnd_2"]`, Delivery: domain.FixSuggestions, AskedName: "Ann \x1b[31m"})
		testkit.OK(t, err)
		testkit.Equal(t, "made", made, true)
		explained, _, err := s.AddCIAnalysis(t.Context(), w.Tenant, store.CIAnalysis{Record: own, PullRequest: w.Pull.ID, Number: w.Pull.Number, HeadSHA: w.Pull.HeadSHA, Job: "ci / lint \x1b[31m", Key: "job/ci/lint", Source: "job", Facts: "[]"})
		testkit.OK(t, err)
		name := w.Repository.Owner + "/" + w.Repository.Name
		for kind, id := range map[string]string{"review": w.Run.ID, "dry_run": dry.ID, "triage": triage, "fix": fixes.ID, "ci": explained} {
			list := []string{"runs", "list", "--kind", kind}
			for args, n := range map[string]int{"": 1, "--repository " + strings.ToUpper(name): 1, "--state failed": 0, "--limit 1": 1} {
				found := decode[[]struct{ ID, Repository string }](t, good(t, command(t, vars, append(append(list, "--json"), strings.Fields(args)...)...)))
				if len(found) != n || n == 1 && (found[0].ID != id || found[0].Repository != name) {
					t.Errorf("%s %s: %+v", kind, args, found)
				}
			}
			if out := good(t, command(t, vars, list...)); !strings.Contains(out, id) || strings.Count(out, "\n") != 2 || strings.Contains(out, "\x1b") {
				t.Errorf("%s:\n%q", kind, out)
			}
			if r := command(t, vars, append(list, "--state", "failed")...); r.code != exitOK || !strings.Contains(r.stdout+r.stderr, " matches.") {
				t.Errorf("%s, none: exit code %d, %s%s", kind, r.code, r.stdout, r.stderr)
			}
			for _, format := range []string{"--json=false", "--json"} {
				r := command(t, vars, append(list, format, "--repository", "acme/none")...)
				if r.code != exitFailed || !strings.Contains(r.stderr, "no tenant has the repository") || strings.Contains(r.stderr, "acme/none") {
					t.Errorf("%s of an unknown repository: exit code %d, %s%s", kind, r.code, r.stdout, r.stderr)
				}
			}
			if shown := decode[struct {
				ID          string
				Transitions []transitionInfo
			}](t, good(t, command(t, vars, "runs", "show", id, "--json"))); shown.ID != id || len(shown.Transitions) == 0 && kind != "fix" && kind != "ci" { // these keep no transitions
				t.Errorf("%s: %+v", kind, shown)
			}
			r := command(t, vars, "runs", "show", id[:4]+"none")
			if r.code != exitFailed || !strings.Contains(r.stderr, "runs list") {
				t.Errorf("%s, absent: exit code %d, %s", kind, r.code, r.stderr)
			}
		}
		if out := good(t, command(t, vars, "runs", "show", dry.ID)); !strings.Contains(out, "#4711") || !strings.Contains(out, `{"policy":{"tone":"terse"}}`) || strings.Contains(out, "\x1b") {
			t.Errorf("a dry run:\n%q", out)
		}
		for id, parts := range map[string][]string{fixes.ID: {name + "#", "0 of 2", "suggestions", "Ann"}, explained: {name + "#", "ci / lint", "queued"}} {
			out := good(t, command(t, vars, "runs", "show", id))
			for _, part := range parts {
				if !strings.Contains(out, part) || strings.Contains(out, "\x1b") {
					t.Errorf("%s does not say %q:\n%q", id, part, out)
				}
			}
		}
		v, err := s.TriageForWork(t.Context(), triage)
		testkit.OK(t, err)
		_, err = s.MoveTriage(t.Context(), w.Tenant, triage, store.TriageMove{From: domain.TriageQueued, To: domain.TriageRunning, Cause: "its job"})
		testkit.OK(t, err)
		v.Size, v.Kind, v.Risk, v.Areas, v.Labels, v.Method = "xl", "migration", "high", `["internal/store"]`, `["risk: high"]`, domain.TriageHeuristic
		_, err = s.SetTriageResult(t.Context(), w.Tenant, v)
		testkit.OK(t, err)
		_, err = s.WantTriageLabels(t.Context(), w.Tenant, v, []string{"Risk: high"})
		testkit.OK(t, err)
		out := good(t, command(t, vars, "runs", "show", triage))
		for _, part := range []string{name + "#", "migration", "internal/store", "Risk: high  waiting", "queued", "its job"} {
			if !strings.Contains(out, part) {
				t.Errorf("a triage run does not say %q:\n%s", part, out)
			}
		}
	})
}

// A filter that a kind of runs does not have is refused before anything is read.
func TestWrongKindsOfRuns(t *testing.T) {
	for what, c := range map[string]struct{ args, want string }{
		"a typo":                           {"--kind dryrun", `must be one of`},
		"a state of reviews, dry runs":     {"--kind dry_run --state awaiting_approval", `queued, running, completed, failed, cancelled`},
		"a state of reviews, triage":       {"--kind triage --state skipped", `queued, running, completed, failed, cancelled`},
		"a pull request of dry runs":       {"--kind dry_run --pull-request 7", `--kind review`},
		"a state of triage, fixes":         {"--kind fix --state skipped", `queued, running, publishing, completed, failed, cancelled`},
		"a state of fixes, failed jobs":    {"--kind ci --state publishing", `queued, running, completed, failed, cancelled`},
		"a pull request of triage":         {"--kind triage --pull-request 7", `--kind review`},
		"a repository without its account": {"--kind triage --repository storefront", `owner/name`},
	} {
		r := command(t, nil, append([]string{"runs", "list"}, strings.Fields(c.args)...)...)
		if r.code != exitUsage || !strings.Contains(r.stderr, c.want) || r.stdout != "" {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", what, r.code, r.stdout, r.stderr)
		}
	}
}

// A run whose output waits shows the deadline and the number of findings, and later the decision.
func TestARunThatWaits(t *testing.T) {
	onBoth(t, func(t *testing.T, vars map[string]string, s *store.Store, w storetest.World) {
		out, err := s.CreateOutput(t.Context(), w.Tenant, w.Run.ID, "", `{}`, strings.Repeat("7", 64))
		testkit.OK(t, err)
		a, err := s.CreateApproval(t.Context(), w.Tenant, store.NewApproval{Output: out.ID, Run: w.Run.ID, Repository: w.Repository.ID, Digest: out.Digest, Draft: `{}`, For: time.Hour})
		testkit.OK(t, err)
		text := good(t, command(t, vars, "runs", "show", w.Run.ID))
		if !strings.Contains(text, "pending since ") || !strings.Contains(text, ", expires "+when(instant(a.ExpiresUS))) || !strings.Contains(text, out.Digest) {
			t.Errorf("it waits:\n%s", text)
		}
		d := decode[runDetail](t, good(t, command(t, vars, "runs", "show", w.Run.ID, "--json")))
		if d.Approval == nil || d.Approval.OutputID != out.ID || d.Approval.State != "pending" || d.Approval.DecidedAt != nil || d.Approval.ExpiresAt == nil {
			t.Errorf("it waits: %+v", d.Approval)
		}
		_, err = s.MoveApproval(t.Context(), w.Tenant, w.Run.ID, store.ApprovalMove{From: domain.ApprovalPending, To: domain.ApprovalRejected, By: "usr_1", Name: "Ada \x1b[31m", How: domain.ByComment, Note: "not\nthis one"})
		testkit.OK(t, err)
		text = good(t, command(t, vars, "runs", "show", w.Run.ID))
		if !strings.Contains(text, "rejected at ") || !strings.Contains(text, "by Ada ?[31m (comment): not this one") {
			t.Errorf("it is decided:\n%q", text)
		}
	})
}

// The help of the list names the states of each kind.
func TestHelpNamesTheStatesOfEachKind(t *testing.T) {
	help := strings.Join(strings.Fields(good(t, command(t, nil, "runs", "list", "--help"))), " ")
	for _, kind := range []string{"review", "dry_run", "triage", "fix", "ci"} {
		if want := kind + ": " + strings.Join(statesOf(kind), ", "); !strings.Contains(help, want) {
			t.Errorf("%q is missing: %s", want, help)
		}
	}
}
