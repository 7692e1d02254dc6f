package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// collected are the records of the victim's repository.
type collected struct {
	ci          store.CIAnalysis
	said        store.CIComment
	dry         store.DryRun
	pull        store.DryPull // of a running dry run
	newest      store.DryRun  // a running one whose pull requests are not known yet
	fix         store.FixRun
	written     store.FixRun // publishing
	ended       store.FixRun // with a fix that passed
	sast        store.SastRun
	sup, held   store.Suppression // proposed and accepted
	tri         store.TriageRun
	issue       store.TrackerLink
	waits, next store.Output  // outputs for a decision; next does not wait yet
	hostUser    domain.HostID // of a person of the tenant
}

var recordsIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		own := store.Record{Repository: v.Repository.ID}
		pull, run := v.Pull.ID, v.Run.ID
		r := &v.collected
		must2(s.AddACCheck(bg, v.Tenant, store.ACCheck{Record: own, PullRequest: pull, Run: run, Evidence: "[]", IssueKey: "A-1", Connection: "tcn_1", CriterionID: "c"}))(t)
		must2(store.AddRecord(bg, s, v.Tenant, store.Calibration{Record: own, Category: "bug", Buckets: "[]", ThresholdPPM: 5}))(t)
		must2(store.AddRecord(bg, s, v.Tenant, store.CodeIndex{Record: own, Branch: "main"}))(t)
		refused := must2(s.SaveRunFindings(bg, storetest.Run(t, s, v.Pull, "refused"), []domain.Finding{{Title: "R", RuleID: "llm/refused", Fingerprints: domain.Fingerprints{Exact: "refused"}}}))(t)
		testkit.OK(t, s.DecideFinding(bg, v.Tenant, v.Repository.ID, domain.FindingOpen, store.FindingDecision{Finding: refused[0].ID, State: domain.FindingDismissed, Reason: "known", User: "usr_1"}))
		r.sup = must2(s.AddSuppression(bg, v.Tenant, store.Suppression{Record: own, Finding: v.finding, Scope: "rule", State: "proposed", Paths: "[]"}))(t)
		r.held = must2(s.AddSuppression(bg, v.Tenant, store.Suppression{Record: own, Finding: v.finding, Scope: "rule", State: "accepted", Paths: "[]"}))(t)
		r.issue = must2(s.AddTrackerLink(bg, v.Tenant, store.TrackerLink{Record: own, PullRequest: pull, IssueKey: "A-1", Tracker: "jira", Connection: "tcn_1", FoundIn: "title", Wanted: "edited", WantedSeq: 1}))(t)
		r.tri = must2(store.AddRecord(bg, s, v.Tenant, store.TriageRun{Record: own, PullRequest: pull, HeadSHA: v.Run.HeadSHA, State: domain.TriageQueued, Cause: "opened", Areas: "[]", Labels: "[]"}))(t)
		must2(s.MoveTriage(bg, v.Tenant, r.tri.ID, store.TriageMove{From: domain.TriageQueued, To: domain.TriageRunning}))(t)
		testkit.OK(t, s.SetRunResult(bg, v.Tenant, run, "T2", "ok", "{}"))
		must2(s.WantTriageLabels(bg, v.Tenant, r.tri, []string{"bug"}))(t)
		testkit.OK(t, s.SaveTriageAnswer(bg, v.Tenant, r.tri.ID, "hash", []byte("{}")))
		r.ci = must2(store.AddRecord(bg, s, v.Tenant, store.CIAnalysis{Record: own, PullRequest: pull, HeadSHA: v.Pull.HeadSHA, State: domain.CIRunning, Key: "job/a", Evidence: "[]", Facts: "[]", Log: "[]", Notes: "[]"}))(t)
		testkit.OK(t, s.SaveCIAnswer(bg, v.Tenant, r.ci.ID, "hash", []byte("{}")))
		testkit.OK(t, s.WantCIComment(bg, v.Tenant, store.CIComment{Repository: v.Repository.ID, PullRequest: pull, HeadSHA: v.Pull.HeadSHA, LeftOut: "[]"}))
		r.said = must2(s.CIComment(bg, v.Tenant, pull))(t)
		r.dry = must2(store.AddRecord(bg, s, v.Tenant, store.DryRun{Record: own, Numbers: "[1]", Overrides: "{}", Result: "{}"}))(t)
		trying := must2(s.CreateDryRun(bg, v.Tenant, store.DryRun{Record: own, Overrides: "{}"}, []int{1}))(t)
		must2(s.MoveDryRun(bg, v.Tenant, trying.ID, store.DryRunMove{From: domain.DryRunQueued, To: domain.DryRunRunning}))(t)
		r.pull = must2(s.DryPulls(bg, v.Tenant, trying.ID))(t)[0]
		testkit.OK(t, s.SaveDryStageResult(bg, v.Tenant, r.pull.ID, "generate", "h", []byte("one")))
		r.newest = must2(s.CreateDryRun(bg, v.Tenant, store.DryRun{Record: own, Newest: 2, Overrides: "{}"}, nil))(t)
		must2(s.MoveDryRun(bg, v.Tenant, r.newest.ID, store.DryRunMove{From: domain.DryRunQueued, To: domain.DryRunRunning}))(t)
		r.fix = must2(store.AddRecord(bg, s, v.Tenant, store.FixRun{Record: own, Run: run, FindingIDs: "[]", State: domain.FixRunning}))(t)
		testkit.OK(t, s.SaveFixStageResult(bg, v.Tenant, r.fix.ID, "fix", "h", []byte("one")))
		r.written = must2(store.AddRecord(bg, s, v.Tenant, store.FixRun{Record: own, Run: run, FindingIDs: "[]", State: domain.FixPublishing}))(t)
		r.ended = must2(store.AddRecord(bg, s, v.Tenant, store.FixRun{Record: own, Run: run, PullRequest: pull, FindingIDs: "[]", State: domain.FixRunning}))(t)
		must2(s.SetFixOutcome(bg, v.Tenant, r.ended.ID, store.FixOutcome{Result: "{}", Findings: []store.FixFinding{{Finding: v.finding}}}))(t)
		testkit.OK(t, s.SetFixBranch(bg, v.Tenant, r.ended.ID, "assay/fix-ended"))
		must2(s.MoveFixRun(bg, v.Tenant, r.ended.ID, store.FixMove{From: domain.FixPublishing, To: domain.FixCompleted}))(t)
		sast, _, err := s.AddSastUpload(bg, v.Tenant, store.SastRun{Record: own, HeadSHA: "head", Analysers: "[]", LeftOut: "[]"}, sealedAs("one"))
		testkit.OK(t, err)
		r.sast = sast
		testkit.OK(t, s.AddSastReview(bg, v.Tenant, store.SastRun{Record: own, Run: run, Analysers: "[]", LeftOut: "[]"}, sealedAs("one")))
		waits := func(key string) store.Output {
			waiting, made, err := s.CreateRun(bg, v.Tenant, store.Run{Repository: v.Repository.ID, PullRequest: pull, Number: 1, HeadSHA: v.Pull.HeadSHA, TriggerKey: key, TriggerEvent: "command"})
			testkit.OK(t, err)
			testkit.Equal(t, "made", made, true)
			for _, m := range []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning}, {From: domain.RunRunning, To: domain.RunAwaitingApproval}} {
				must2(s.MoveRun(bg, v.Tenant, waiting.ID, m))(t)
			}
			return must2(s.CreateOutput(bg, v.Tenant, waiting.ID, "", "{}", "digest"))(t)
		}
		r.next = waits("cmd:waits-1")
		r.waits = waits("cmd:waits-2")
		decided := waits("cmd:waits-3")
		for _, out := range []store.Output{decided, r.waits} {
			must2(s.CreateApproval(bg, v.Tenant, store.NewApproval{Output: out.ID, Run: out.Run, Repository: v.Repository.ID, Digest: "digest", Draft: "{}"}))(t)
		}
		must2(s.MoveApproval(bg, v.Tenant, decided.Run, store.ApprovalMove{From: domain.ApprovalPending, To: domain.ApprovalRejected, Comment: "7", Changes: store.JSON(domain.ApprovalChanges{Drop: []string{v.finding}})}))(t)
		access := must2(s.Access(bg, v.Repository.Access))(t)
		must2(s.CreateIdentity(bg, store.Identity{UserID: v.user, Issuer: access.Host, Subject: domain.NewID("4711"), Kind: store.IdentityCodeHost, Login: "mona"}))(t)
		ids := must2(s.IdentitiesOf(bg, v.user))(t)
		r.hostUser = domain.HostID(ids[len(ids)-1].Subject)
	},
	foreign: func(v victim) map[string][]any {
		repo, pull, run, r := v.Repository.ID, v.Pull.ID, v.Run.ID, v.collected
		own, page := store.Record{Repository: repo}, []any{repo, store.Cursor{US: 1 << 60, ID: "z"}, 10}
		return map[string][]any{
			"ACChecks": page, "AddACCheck": {store.ACCheck{Record: own, PullRequest: pull, Evidence: "[]"}},
			"Calibrations": page,
			"Suppressions": {repo, store.SuppressionsFilter{Limit: 10}}, "Suppression": {repo, r.sup.ID}, "SuppressionsInEffect": {repo},
			"AddSuppression":   {store.Suppression{Record: own, Finding: v.finding, Scope: "rule", State: "proposed", Paths: "[]"}},
			"LockSuppressions": {repo}, "SameSuppressions": {repo, r.sup},
			"DecideSuppression":   {repo, r.sup.ID, store.SuppressionDecision{To: domain.SuppressionAccepted, By: "usr_evil"}},
			"WithdrawSuppression": {repo, r.held.ID, domain.SuppressionAccepted, "usr_evil", "evil", "evil"},
			"AddSuppressionPrint": {repo, r.held.ID, "v1:evil"},
			"FindingPrints":       {v.finding}, "DismissedPrints": {repo, []string{"refused"}}, "Refusals": {repo, "llm/refused"},
			"TrackerLinks": page, "AddTrackerLink": {store.TrackerLink{Record: own, PullRequest: pull, IssueKey: "A-2"}},
			"PutACChecks": {run, r.issue, []store.ACCheck{{Evidence: "[]"}}}, "LastACChecks": {pull}, "DropACChecks": {r.issue},
			"RunACChecks": {pull, run}, "WantRecheck": {r.issue.ID, "evil"}, "RecheckAgain": {r.issue.ID}, "EndRecheck": {r.issue.ID, r.issue.WantedSeq, "evil", "evil"}, "HideTrackerLink": {r.issue},
			"TrackerLink": {repo, r.issue.ID}, "BeginTicketWrite": {r.issue.ID, store.WriteAttempt{SubjectKind: "ticket", SubjectID: "pr/tcn/A-1", Verb: "put_comment"}, 0}, "PullRequestNumbered": {repo, v.Pull.Number}, "TrackerLinksOf": {pull}, "TrackerLinksTo": {"tcn_1", "A-1"}, "ReplaceFoundLinks": {pull, []store.FoundLink{{Tracker: "jira", IssueKey: "A-3", FoundIn: "title"}}},
			"AddTrackerLinkByPerson": {pull, v.user, store.FoundLink{Tracker: "jira", IssueKey: "A-4", FoundIn: "person"}}, "RemoveTrackerLink": {repo, r.issue.ID, v.user},
			"SetTicketFacts": {store.TrackerLink{Record: store.Record{ID: r.issue.ID}, Title: "evil"}}, "SetJudgedCriteria": {r.issue.ID, "evil"}, "SetTicketComment": {r.issue.ID, "evil", "evil"},
			"TriageRuns":   page,
			"CreateTriage": {store.TriageRun{Record: own, PullRequest: pull, HeadSHA: "b", Cause: "opened"}}, "TriageOfHead": {pull, v.Run.HeadSHA},
			"MoveTriage": {r.tri.ID, store.TriageMove{From: domain.TriageRunning, To: domain.TriageCompleted}}, "TriageTransitions": {r.tri.ID}, "SetTriageResult": {r.tri}, "TriageAnswer": {r.tri.ID, "hash"}, "SaveTriageAnswer": {r.tri.ID, "another hash", []byte("{}")},
			"TakeTriageDepth": {pull, v.Run.HeadSHA}, "WantTriageLabels": {r.tri, []string{"docs"}}, "TriageLabels": {pull}, "EndTriageLabel": {pull, "bug", domain.LabelSet, ""},
			"CIAnalyses": {repo, store.CIFilter{Before: store.Cursor{US: 1 << 60, ID: "z"}, Limit: 10}}, "CIAnalysis": {repo, r.ci.ID},
			"CIAnalysesOfHead": {pull, v.Pull.HeadSHA}, "OpenPullsOfHead": {repo, v.Pull.HeadSHA},
			"AddCIAnalysis":    {store.CIAnalysis{Record: own, PullRequest: pull, HeadSHA: "evil", Key: "evil", Facts: "[]"}},
			"RepeatCIAnalysis": {store.CIAnalysis{Record: own, PullRequest: pull, HeadSHA: v.Pull.HeadSHA, Key: "job/a", HostJob: "evil", Facts: "[]"}, []string{"evil"}},
			"MoveCI":           {r.ci.ID, domain.CIRunning, domain.CIFailed, "evil"}, "SetCIResult": {store.CIAnalysis{Record: store.Record{ID: r.ci.ID}, HostJob: r.ci.HostJob, Facts: r.ci.Facts, Evidence: "[]", Log: "[]", Notes: "[]"}},
			"MarkCIPassed": {pull, v.Pull.HeadSHA, []string{"job/a"}}, "CIAnswer": {r.ci.ID, "hash"}, "SaveCIAnswer": {r.ci.ID, "another hash", []byte("{}")},
			"CIComment": {pull}, "WantCIComment": {store.CIComment{Repository: repo, PullRequest: pull, HeadSHA: "evil", LeftOut: "[]"}},
			"ShowCIComment": {r.said.ID, domain.HostID("evil"), "evil"}, "DropCIComment": {r.said.ID, "evil"},
			"DryRuns": page, "DryRun": {repo, r.dry.ID},
			"CreateDryRun": {store.DryRun{Record: own, Overrides: "{}"}, []int{3}}, "MoveDryRun": {r.newest.ID, store.DryRunMove{From: domain.DryRunRunning, To: domain.DryRunFailed}},
			"SetDryRunPulls": {r.newest, []int{3}}, "DryRunTransitions": {r.newest.ID}, "DryPulls": {r.pull.DryRun}, "SetDryPullBase": {r.pull.ID, "evil", "evil", "evil"},
			"MoveDryPull": {r.pull.ID, store.DryPullMove{From: domain.DryPullQueued, To: domain.DryPullRunning}}, "StartDryPullWindow": {r.pull.ID, time.Hour},
			"DryStageResult": {r.pull.ID, "generate", "h"}, "SaveDryStageResult": {r.pull.ID, "generate", "new", []byte("evil")}, "LastPublished": {repo, 1}, "PublishedReviews": {repo, 10}, "EndedHeads": {repo, 10},
			"FixRuns": {repo, store.FixRunFilter{}}, "FixRun": {repo, r.fix.ID}, "FixRoom": {pull, "x"},
			"CreateFixRun": {store.FixRun{Record: own, Run: run, FindingIDs: "[]", PullRequest: pull}}, "MoveFixRun": {r.fix.ID, store.FixMove{From: domain.FixRunning, To: domain.FixFailed}},
			"SetFixOutcome": {r.fix.ID, store.FixOutcome{Result: `{"evil":1}`, Passed: 1, Findings: []store.FixFinding{{Finding: "evil"}}}}, "FixesToFind": {pull, []string{v.finding}}, "SetFixInCode": {r.ended.ID, v.finding}, "FixFigures": {repo, int64(0), int64(1 << 60)}, "SetFixBranch": {r.written.ID, "evil"}, "SetFixCommit": {r.written.ID, "evil"}, "ForgetFixBranch": {r.ended.ID}, "SetFixInstead": {r.written.ID, domain.FixInsteadFork}, "FixStageResult": {r.fix.ID, "fix", "h"}, "SaveFixStageResult": {r.fix.ID, "fix", "new", []byte("evil")}, "DropFixStages": {r.fix.ID}, "StartFixWindow": {r.fix.ID, time.Hour},
			"SastRuns": {repo, store.SastFilter{}, page[1], page[2]}, "SastRun": {repo, r.sast.ID}, "SastRunsOf": {repo, run}, "SastDocument": {repo, r.sast.ID}, "SastUploads": {repo, "head"},
			"AddSastUpload": {store.SastRun{Record: own, HeadSHA: "evil", Analysers: "[]", LeftOut: "[]"}, sealedAs("evil")},
			"UseSastUpload": {store.SastRun{Record: store.Record{ID: r.sast.ID}, Run: run, State: "evil"}},
			"AddSastReview": {store.SastRun{Record: own, Run: run, Analysers: "[]", LeftOut: "[]"}, sealedAs("evil")},
			"Approvals":     {repo, domain.ApprovalState(""), store.Cursor{US: 1 << 60, ID: "z"}, 10}, "Approval": {r.waits.ID}, "ApprovalOfRun": {r.waits.Run}, "ApprovalOfPull": {pull},
			"ApprovalOfComment": {pull, domain.HostID("7")}, "Output": {r.waits.ID}, "OutputToPublish": {run},
			"CreateApproval": {store.NewApproval{Output: r.next.ID, Run: r.next.Run, Repository: repo}},
			"MoveApproval":   {r.waits.Run, store.ApprovalMove{From: domain.ApprovalPending, To: domain.ApprovalRejected}},
			"IsHostUser":     {v.Repository.Access, v.user, r.hostUser, "mona"},
			"PersonOfHost":   {v.Repository.Access, r.hostUser},
		}
	},
	instance: map[string]string{"LapsedApprovals": "what has expired, for the service", "AddEvalRun": "the harness is the instance's", "EvalRuns": "the harness is the instance's", "TriageForWork": "by the id that a job names", "CIAnalysisForWork": "by the id that a job names", "TrackerLinkForWork": "by the id that a job names; the row carries the tenant", "OverexposedLinks": "the service forgets what may be known no more; the rows carry the tenant", "RecentTriageRuns": "for operators", "RecentFixRuns": "for operators", "RecentCIAnalyses": "for operators",
		"DryRunForWork": "a job names its dry run; the row carries the tenant", "FixRunForWork": "a job names its fix run; the row carries the tenant", "RecentDryRuns": "operators see the dry runs of every tenant"},
}

// No tenant adds a record to a repository of another tenant.
func TestForeignTenantAddsNoRecord(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v, other := seedVictim(t, s), storetest.Seed(t, s).Tenant
		before := dump(t, s)
		own, pull, run := store.Record{Repository: v.Repository.ID}, v.Pull.ID, v.Run.ID
		refused := func(_ any, err error) {
			t.Helper()
			wantKind(t, err, errs.NotFound)
		}
		refused(store.AddRecord(bg, s, other, store.Calibration{Record: own, Category: "api", Buckets: "[]"}))
		refused(store.AddRecord(bg, s, other, store.CodeIndex{Record: own, Branch: "next"}))
		refused(s.AddSuppression(bg, other, store.Suppression{Record: own, State: "proposed", Paths: "[]"}))
		refused(store.AddRecord(bg, s, other, store.TriageRun{Record: own, PullRequest: pull, State: domain.TriageQueued, Areas: "[]", Labels: "[]"}))
		refused(store.AddRecord(bg, s, other, store.CIAnalysis{Record: own, Evidence: "[]"}))
		refused(store.AddRecord(bg, s, other, store.DryRun{Record: own, State: domain.DryRunQueued, Numbers: "[]", Overrides: "{}", Result: "{}"}))
		refused(store.AddRecord(bg, s, other, store.FixRun{Record: own, Run: run, FindingIDs: "[]"}))
		refused(store.AddRecord(bg, s, other, store.SastRun{Record: own, Run: run, Analysers: "[]"}))
		refused(store.AddRecord(bg, s, other, store.Assignment{Record: own, PullRequest: pull, Number: 1, Mode: "shadow", Suggestions: "[]"}))
		testkit.Equal(t, "rows", dump(t, s), before)
	})
}

// sealedAs returns a function that returns a fixed text in place of a sealed document.
func sealedAs(text string) store.SealDocument {
	return func(context.Context, string) ([]byte, error) { return []byte(text), nil }
}
