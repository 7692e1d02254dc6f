package upgrade

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/hunkcodec"
	"github.com/assay-dev/assay/internal/store"
)

// recipe describes how far a run gets.
type recipe struct {
	states []domain.RunState // after queued
	phases []domain.Phase    // of its publication, after PREPARED; nil without one
	kind   string            // of its publication
	notes  bool              // its comments become visible one by one
	left   bool              // its job died, and only the host knows the outcome
}

// recipes end runs in every state, and publications in every phase and kind.
func recipes() []recipe {
	const running, publishing, completed, failed = domain.RunRunning, domain.RunPublishing, domain.RunCompleted, domain.RunFailed
	type st = []domain.RunState
	type ph = []domain.Phase
	const creating, chosen, submitting, published, abandoned = domain.PhaseCreating, domain.PhaseChosen, domain.PhaseSubmitting, domain.PhasePublished, domain.PhaseAbandoned
	return []recipe{
		{states: st{}},
		{states: st{running}},
		{states: st{running, domain.RunAwaitingApproval}},
		{states: st{running, publishing}},
		{states: st{running, publishing}, phases: ph{}, kind: "review"},
		{states: st{running, publishing}, phases: ph{creating}, kind: "review"},
		{states: st{running, publishing}, phases: ph{creating, chosen}, kind: "review"},
		{states: st{running, publishing}, phases: ph{creating, chosen, submitting}, kind: "edit"},
		{states: st{running, publishing, completed}, phases: ph{creating, chosen, submitting, published}, kind: "review"},
		{states: st{running, domain.RunAwaitingApproval, publishing, completed}, phases: ph{creating, chosen, submitting, published}, kind: "edit"},
		{states: st{running, publishing, completed}, phases: ph{published}, kind: "none"},
		{states: st{running, publishing}, phases: ph{creating}, kind: "review", notes: true},
		{states: st{running, publishing}, phases: ph{creating, chosen}, kind: "review", left: true},
		{states: st{running, publishing, failed}, phases: ph{creating, chosen, submitting, abandoned}, kind: "review"},
		{states: st{running, domain.RunAwaitingApproval, domain.RunCancelled}},
		{states: st{running, domain.RunAwaitingApproval, domain.RunSuperseded}},
		{states: st{running, domain.RunAwaitingApproval, publishing}},
		{states: st{running, failed}},
		{states: st{domain.RunCancelled}},
		{states: st{running, domain.RunSuperseded}},
		{states: st{domain.RunSkipped}},
	}
}

// review creates pull requests of every repository, and runs of every recipe.
func (e *estate) review() {
	e.t.Helper()
	all, i := recipes(), 0
	for _, r := range e.repositories {
		kept[store.PullRequest](e.service)(e.Store.UpsertPullRequest(bg, e.Tenant, store.PullRequest{Repository: r.ID, Number: 7, State: "open", HeadSHA: sha(0)}))
		for n := range 6 {
			i++
			pull := store.PullRequest{Repository: r.ID, Number: n + 1, Title: wild[i%len(wild)], Author: "mona-" + fmt.Sprint(i), HeadSHA: sha(i), BaseRef: names[i%len(names)], State: []string{"open", "closed", "merged"}[n%3],
				Draft: n%2 == 0, HostUpdatedUS: int64(i), AuthorID: domain.NumberID(math.MaxInt64)}
			if n == 5 {
				pull.Number, pull.Title, pull.AuthorID = math.MaxInt32, long, ""
			}
			p := kept[store.PullRequest](e.service)(e.Store.UpsertPullRequest(bg, e.Tenant, pull))
			e.pulls = append(e.pulls, p)
			must(e.t, e.Store.SetPaused(bg, e.Tenant, p.ID, n%3 == 0))
			for k, at := range []int{i, i + 8} {
				e.run(p, all[at%len(all)], k)
			}
		}
	}
}

// run creates a run and moves it as far as its recipe says.
func (e *estate) run(p store.PullRequest, r recipe, k int) {
	e.t.Helper()
	how := []domain.AskedHow{"", domain.AskedByEvent, domain.AskedByCommand, domain.AskedByRerun, domain.AskedByRequest, domain.AskedBySweep}
	asker := domain.Asker{How: how[len(e.runs)%len(how)]}
	if asker.How != "" {
		asker.UserID, asker.Name = "usr_"+name(k), wild[k]
	}
	run, made, err := e.Store.CreateRun(bg, e.Tenant, store.Run{Repository: p.Repository, PullRequest: p.ID, Number: p.Number, HeadSHA: p.HeadSHA, TriggerKey: fmt.Sprint("cmd:", k, names[k]), TriggerEvent: "command", Asker: asker})
	must(e.t, err)
	if !made {
		e.t.Fatal("the run is there already")
	}
	e.runs = append(e.runs, run)
	from := domain.RunQueued
	for _, to := range r.states {
		if to == domain.RunRunning {
			_, err := e.Store.ClaimPullRequest(bg, e.Tenant, p.ID, run.ID)
			must(e.t, err)
		}
		if moved, err := e.Store.MoveRun(bg, e.Tenant, run.ID, store.RunMove{From: from, To: to, Cause: name(k), Reason: wild[2+k], SupersededBy: map[bool]string{true: e.runs[0].ID}[to == domain.RunSuperseded]}); err != nil || !moved {
			e.t.Fatalf("%s to %s: %v %v", from, to, moved, err)
		}
		e.decide(run, from, to)
		if from = to; to == domain.RunRunning {
			e.work(p, run)
		}
	}
	if r.phases != nil {
		e.publish(run, r)
	}
}

// decide makes the output of a run wait, and decides on it as the run continues.
func (e *estate) decide(run store.Run, from, to domain.RunState) {
	e.t.Helper()
	s, t := e.Store, e.Tenant
	move := func(m store.ApprovalMove) {
		if moved, err := s.MoveApproval(bg, t, run.ID, m); err != nil || !moved {
			e.t.Fatalf("%s to %s: %v %v", m.From, m.To, moved, err)
		}
	}
	decided := store.ApprovalMove{From: domain.ApprovalPending, By: "usr_gone", Name: wild[0], How: domain.ByComment, Comment: "99", Note: long, CauseWords: names[0]}
	switch {
	case to == domain.RunAwaitingApproval:
		out := kept[store.Output](e.service)(s.LatestOutput(bg, t, run.ID))
		kept[store.Approval](e.service)(s.CreateApproval(bg, t, store.NewApproval{Output: out.ID, Run: run.ID, Repository: run.Repository, Digest: out.Digest, Draft: `{"result":{}}`, For: time.Hour}))
	case from == domain.RunAwaitingApproval && to == domain.RunPublishing:
		child := kept[store.Output](e.service)(s.CreateOutput(bg, t, run.ID, "", string(jsonOf(object{"body": names[0]})), sha(3)))
		decided.To, decided.Child, decided.Changes = domain.ApprovalApproved, child.ID, `{"drop":["fnd_1"]}`
		move(decided)
	case from == domain.RunAwaitingApproval && to == domain.RunCancelled:
		decided.To = domain.ApprovalRejected
		move(decided)
	case from == domain.RunAwaitingApproval:
		move(store.ApprovalMove{From: domain.ApprovalPending, To: domain.ApprovalExpired, How: domain.ByExpiry, Note: "a newer head arrived"})
	case to == domain.RunCompleted:
		_, err := s.MoveApproval(bg, t, run.ID, store.ApprovalMove{From: domain.ApprovalApproved, To: domain.ApprovalPublished, CauseWords: "published"})
		must(e.t, err)
	}
}

// work creates what a running review leaves: stages, model calls, findings, hunks, outputs.
func (e *estate) work(p store.PullRequest, run store.Run) {
	e.t.Helper()
	s, t := e.Store, e.Tenant
	must(e.t, s.SetRunBase(bg, t, run.ID, sha(1), sha(2), "engine/1", sha(3)))
	_, err := s.SetRunProgress(bg, t, run.ID, `{"Stage":"generate","Done":1,"Total":2}`)
	must(e.t, err)
	_, err = s.StartModelWindow(bg, t, run.ID, time.Hour)
	must(e.t, err)
	must(e.t, s.SaveStageResult(bg, t, run.ID, "generate", sha(len(e.runs)), bytes.Repeat([]byte{0, 1, 0xff, '\''}, 50)))
	packed, err := hunkcodec.Pack([]*diff.Hunk{{NewStart: 1, NewLines: 1, Lines: []diff.Line{{Op: diff.Add, New: 1, Text: names[0]}}}}, 1<<10)
	must(e.t, err)
	var files []store.DiffFile
	for i, status := range []string{"added", "modified", "deleted", "renamed", "copied"} {
		files = append(files, store.DiffFile{Path: names[i%2], OldPath: "old/" + names[0], Status: status, Class: "source", Language: "Go", Binary: i == 0, Additions: 1 << 30, Deletions: 2, Omitted: names[1], Cut: i == 1, Hunks: packed.Hunks})
	}
	must(e.t, s.SaveRunDiff(bg, t, run.ID, files))
	must(e.t, s.SaveRunContext(bg, t, run.ID, []store.ContextItem{{Path: "shop/cart.go", StartLine: 3, EndLine: 9, Symbol: "Cart.Total", Why: "caller", About: names[0]}}))
	must(e.t, s.SaveDropped(bg, t, run.ID, []store.DroppedCandidate{{Stage: "verify", Why: "refuted", FindingID: "fnd_gone", Finding: e.found(0)[0]}, {Stage: "place", Why: names[0]}}))
	for _, outcome := range []string{"ok", "refused", "failed"} {
		_, err := s.AddToolCall(bg, t, run.ID, store.ToolCall{Stage: "verify", Tool: "read_file", Arguments: `{"path":"` + names[0] + `"}`, Outcome: outcome, Hits: 3, Bytes: 1 << 40, DurationUS: 7})
		must(e.t, err)
	}
	for i, cost := range []*int64{new(int64(math.MaxInt32)), nil} {
		call := store.ModelCall{Repository: p.Repository, Run: run.ID, Stage: "generate", Tier: "standard", Credential: "crd_gone", Model: names[i], Effort: "high", Reserve: 1000, ReserveTokens: 1 << 40, RunKind: "review"}
		id, err := s.BeginCall(bg, t, call)
		must(e.t, err)
		if len(e.runs)%5 == 0 && i == 1 {
			continue // its worker died
		}
		call.Input, call.Cached, call.CacheWrite, call.Output, call.Reasoning, call.CostMicros, call.Outcome, call.Answered = 1<<40, 5, 6, 7, 3, cost, "ok", names[i]+"-2026"
		_, err = s.EndCall(bg, t, id, call)
		must(e.t, err)
	}
	found, err := s.SaveRunFindings(bg, run, e.found(len(e.runs)))
	must(e.t, err)
	for i, f := range found {
		e.findings = append(e.findings, f.ID)
		state := []domain.FindingState{domain.FindingOpen, domain.FindingResolved, domain.FindingDismissed, domain.FindingSuppressed, domain.FindingOutdated}[i%5]
		must(e.t, s.SetFindingState(bg, t, p.ID, "", []string{f.ID}, state))
		if i < 2 {
			must(e.t, s.MarkPosted(bg, t, run.ID, []string{f.ID}))
			_, err := s.SetComment(bg, t, f.ID, "", domain.NumberID(math.MaxInt64-int64(i)), "https://host.example/c?a=1&b=ü")
			must(e.t, err)
		}
	}
	must(e.t, s.SetVerdict(bg, t, run.ID, "neutral"))
	_, err = s.TakeHeadCheck(bg, t, store.HeadCheck{Repository: p.Repository, Head: run.HeadSHA, Place: names[0], Run: run.ID, CheckID: "7", Shown: sha(4)}, false)
	must(e.t, err)
	must(e.t, s.AddReviewedHunks(bg, t, p.ID, p.BaseRef, run.ID, []string{sha(len(e.runs)), names[1], ""}))
	must(e.t, s.SetRunResult(bg, t, run.ID, "standard", "ok", string(jsonOf(object{"modelNote": long, "tierWhy": names[0], "notices": names}))))
	first := kept[store.Output](e.service)(s.CreateOutput(bg, t, run.ID, "", string(jsonOf(object{"body": long})), sha(1)))
	if len(e.runs)%4 == 0 {
		kept[store.Output](e.service)(s.CreateOutput(bg, t, run.ID, first.ID, string(jsonOf(object{"body": names[1]})), sha(2)))
	}
	event := string(jsonOf(domain.ReviewCompleted{RunID: run.ID, RepositoryID: run.Repository, PullRequest: run.Number, HeadSHA: run.HeadSHA, State: domain.RunCompleted, BySeverity: map[string]int{"high": 1}}))
	must(e.t, s.AddEvent(bg, t, domain.EventReviewCompleted, run.ID, event))
}

// found returns findings of all categories and severities. The i-th run of a pull request sees some of
// them again.
func (e *estate) found(i int) (out []domain.Finding) {
	categories := domain.Categories()
	for k := range 5 {
		n := i + k
		f := domain.Finding{Origin: domain.OriginModel, RuleID: "llm/" + names[k], Category: categories[n%len(categories)], Severity: domain.Severity(n % 5), Confidence: 0.1 + float64(k)/5, Title: names[n%len(names)],
			Explanation: strings.Repeat(names[1], 20), Evidence: []domain.Evidence{{Kind: "code", Path: "ü/'a'.go", Start: 1, End: math.MaxInt32, Quote: names[2]}}, Verdict: domain.VerdictConfirmed, Route: domain.RouteInline,
			Anchor:       domain.Anchor{Path: "ü/'a'.go", Side: domain.Right, StartLine: n, EndLine: n, Quote: "\t" + names[0], Level: domain.AnchorLine},
			Fingerprints: domain.Fingerprints{Exact: sha(k), Context: sha(100 + k)}, State: domain.FindingOpen}
		if k == 0 {
			f.Suggestion = &domain.Suggestion{Path: f.Anchor.Path, Start: 1, End: 2, Old: "", New: names[3], Parses: "unknown"}
			f.Explanation = long
		}
		out = append(out, f)
	}
	return out
}

// publish creates a run's publication by a publish job, and records its writes.
func (e *estate) publish(run store.Run, r recipe) {
	e.t.Helper()
	s, t := e.Store, e.Tenant
	job := e.claimed(store.NewJob{Kind: domain.KindPublish, FairKey: e.installation.ID, Subject: run.ID, Tenant: t.ID, Dedup: "publish:" + run.ID})
	out := kept[store.Output](e.service)(s.LatestOutput(bg, t, run.ID))
	pub := kept[store.Publication](e.service)(s.Prepare(bg, t, store.Publication{Run: run.ID, Output: out.ID, Kind: r.kind, Payload: string(jsonOf(object{"body": names[1]})), PayloadSHA256: sha(1)}, job.ID, job.Gen))
	from := domain.PhasePrepared
	for i, to := range r.phases {
		ok, err := false, error(nil)
		if r.notes {
			ok, err = e.comments(pub)
		} else if to == domain.PhaseChosen {
			ok, err = s.ChooseReview(bg, t, pub.ID, pub.Gen, domain.NumberID(math.MaxInt64-int64(len(e.runs))))
		} else {
			ok, err = s.MovePublication(bg, t, pub.ID, pub.Gen, from, to, map[bool]string{true: "https://github.example.com/octo/Repo/pull/1#ü"}[to == domain.PhasePublished], map[bool]string{true: names[0]}[to == domain.PhaseAbandoned])
		}
		if must(e.t, err); !ok {
			e.t.Fatalf("%s to %s did not happen", from, to)
		}
		from = to
		id, _, err := s.BeginWrite(bg, t, store.WriteAttempt{SubjectKind: "publication", SubjectID: pub.ID, Verb: "create", Target: names[i], Gen: pub.Gen})
		must(e.t, err)
		if i != 1 { // the worker died before it got the answer
			must(e.t, s.EndWrite(bg, id, store.WriteEnd{Outcome: "ok", Status: 201, RequestID: "ABCD:1"}))
		}
	}
	if r.left {
		kept[bool](e.service)(s.LeaveUnsettled(bg, t, run.ID, domain.EndModelUnavailable, long))
	}
	if from == domain.PhasePublished {
		must(e.t, s.FinishPullRequest(bg, t, run, domain.NumberID(math.MaxInt64)))
		_, err := s.FinishJob(bg, job.ID, job.Gen)
		must(e.t, err)
	}
}

// comments plans the comments of a publication and leaves one in every phase.
func (e *estate) comments(pub store.Publication) (bool, error) {
	e.t.Helper()
	s, t := e.Store, e.Tenant
	ways := [][]domain.NotePhase{{}, {domain.NoteDrafting}, {domain.NoteDrafting, domain.NoteChosen}, {domain.NoteDrafting, domain.NoteChosen, domain.NotePublishing},
		{domain.NoteDrafting, domain.NoteChosen, domain.NotePublishing, domain.NoteVisible}, {domain.NoteDrafting, domain.NoteDropped}}
	findings := make([]string, len(ways)) // the last is the summary
	for i := range len(ways) - 1 {
		findings[i] = fmt.Sprint("fnd_", i)
	}
	moved, err := s.PlanNotes(bg, t, pub.ID, pub.Gen, findings)
	if err != nil || !moved {
		return moved, err
	}
	for i, n := range kept[[]store.PublicationNote](e.service)(s.NotesOf(bg, t, pub.ID)) {
		for _, to := range ways[i] {
			ok := false
			if to == domain.NoteChosen {
				ok, err = s.ChooseNote(bg, t, n, pub.Gen, domain.PhaseCreating, domain.NumberID(math.MaxInt64-int64(i)))
			} else {
				ok, err = s.MoveNote(bg, t, n, pub.Gen, domain.PhaseCreating, to, map[bool]string{true: names[0]}[to == domain.NoteDropped])
			}
			if must(e.t, err); !ok {
				e.t.Fatalf("comment %d did not go to %s", n.Seq, to)
			}
			n.Phase = to
		}
	}
	return true, nil
}

func jsonOf(v any) []byte {
	b, _ := json.Marshal(v)
	return b
}
