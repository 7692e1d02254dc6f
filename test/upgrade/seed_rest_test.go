package upgrade

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/sastdocs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// forever is a time that no dump reaches, in microseconds, so that lists without expired items show the
// same at every upgrade.
const forever = 7258118400000000 // the year 2200

// later returns a time at which a token may expire.
func (e *estate) later() string { return time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339) }

// record creates records that no feature writes yet, in every state.
func (e *estate) record() {
	e.t.Helper()
	s, t := e.Store, e.Tenant
	add := func(_ any, err error) { e.t.Helper(); must(e.t, err) }
	pick := func(i int, list ...string) string { return list[i%len(list)] }
	for i, p := range e.pulls[:12] {
		own, run, pull := store.Record{Repository: p.Repository}, e.runs[2*i].ID, p.ID
		over := int64(i%2) * (math.MaxInt64 / 2048 / 1000)
		if i%4 == 3 {
			add(s.AddACCheck(bg, t, store.ACCheck{Record: own, PullRequest: pull, Number: p.Number, IssueKey: name(i), Criterion: long, Verdict: "unclear", Evidence: `[]`}))
			pull, run = "", e.runs[0].ID
		} else {
			add(s.AddACCheck(bg, t, store.ACCheck{Record: own, PullRequest: pull, Number: p.Number, Run: run, IssueKey: name(i), Criterion: names[i%8], Verdict: pick(i, "met", "partly", "not_met"), Evidence: `[{"path":"ü.go","startLine":1}]`}))
		}
		add(store.AddRecord(bg, s, t, store.CIAnalysis{Record: own, PullRequest: pull, Number: p.Number, HeadSHA: sha(i), Job: name(i), URL: "https://ci.example.com", State: domain.CIState(pick(i, "queued", "running", "completed", "failed", "cancelled")), Cause: long, Evidence: `[{"source":"log","line":1,"text":"böom"}]`, Flaky: i%2 == 0, FinishedUS: over,
			Key: name(i), HostJob: name(i), Source: pick(i, "job", "check", "status"), Facts: `["ü"]`, Trigger: "failed", Reason: long, Relation: pick(i, "", "caused", "unrelated", "unclear"), Tool: "go test", Log: `[{"leftOut":3},{"line":4,"text":"böom"}]`, LogLines: math.MaxInt64, NoLog: names[i%8], Notes: `["ü"]`, Method: pick(i, "", "pattern", "model"), OnBase: pick(i, "", "failed", "passed"), FailedBefore: over, FlakyBefore: over, PassedUS: over, StartedUS: over}))
		must(e.t, s.WantCIComment(bg, t, store.CIComment{Repository: p.Repository, PullRequest: p.ID, HeadSHA: sha(i), Green: i%2 == 0, LeftOut: `["ü"]`}))
		said, err := s.CIComment(bg, t, p.ID)
		add(said, err)
		switch i % 3 {
		case 1:
			must(e.t, s.ShowCIComment(bg, t, said.ID, domain.NumberID(int64(i)), long))
		case 2:
			must(e.t, s.DropCIComment(bg, t, said.ID, long))
		}
		add(store.AddRecord(bg, s, t, store.Calibration{Record: own, Category: name(i), Buckets: `[{"from":0,"to":0.5,"taken":1}]`, Taken: math.MaxInt64, Refused: int64(i), ThresholdPPM: int64(i % 2 * 500000),
			Ignored: math.MaxInt64, ImpliedPPM: int64(i % 3 * 300000), MovedUS: over, Held: pick(i, "", "outcomes", "people", "week"), UpdatedUS: over}))
		started, err := s.StartCalibration(bg, t, own.Repository)
		add(started, err)
		kept, err := s.FreezeThresholds(bg, t, run, domain.Thresholds{domain.CategoryBug: 0.8})
		add(kept, err)
		index, err := store.AddRecord(bg, s, t, store.CodeIndex{Record: own, Branch: name(i), State: pick(i, "absent", "building", "ready", "stale", "failed"), CommitSHA: sha(i), Mode: pick(i, "lexical", "hybrid"), Files: math.MaxInt64, Reason: names[i%8], BuiltUS: over,
			Generation: 1, Bytes: math.MaxInt64, LeftOut: `[{"reason":"ü","count":1,"paths":["ü.go"]}]`, CheckedUS: over})
		add(index, err)
		must(e.t, s.PutCodeBlobs(bg, t, []store.CodeBlob{{Blob: name(i), Content: []byte{0, 255}}}))
		must(e.t, s.ChangeCodeFiles(bg, t, index.ID, 1, store.CodeChange{Files: []store.CodeFile{{Path: name(i), Blob: name(i), Place: store.CodePlace(1, i)}, {Path: "left", Blob: "left", Place: -1, Reason: "binary"}},
			Segment: &store.CodeSegment{Segment: 1, Bits: 1, Chunks: []byte{0, 255}, Stale: []byte{1}}, Words: []store.CodeWords{{Bucket: store.CodeBucket(1, 1), Content: []byte{0, 255}}}}))
		finding := ""
		if i%2 == 0 {
			finding = e.findings[i]
		}
		if i == 0 {
			must(e.t, s.DecideFinding(bg, t, own.Repository, domain.FindingOpen, store.FindingDecision{Finding: finding, State: domain.FindingDismissed, Reason: long, User: "usr_gone", Person: "usr_gone"}))
			must(e.t, s.DecideFinding(bg, t, own.Repository, domain.FindingDismissed, store.FindingDecision{Finding: finding, State: domain.FindingOpen, User: "usr_gone"}))
		}
		add(store.AddRecord(bg, s, t, store.Suppression{Record: own, Finding: finding, Scope: domain.SuppressionScope(pick(i, "fingerprint", "rule", "category")), Matches: name(i), Paths: `["ü/**"]`, State: domain.SuppressionState(pick(i, "proposed", "accepted", "declined", "withdrawn")), Source: domain.SuppressionSource(pick(i, "dismissal", "command", "repetition")), Reason: long, Note: names[1], DecidedUS: over, ExpiresUS: over,
			RuleID: name(i), Category: "bug", Severity: "low", Path: "ü/ö.go", Prints: `["v1:a"]`, ProposedBy: e.admin.id, ProposedName: names[0], DecidedName: names[1], WithdrawnBy: e.admin.id, WithdrawnName: names[2], WithdrawnNote: long, WithdrawnUS: over}))
		proposed, _, err := s.ProposeRule(bg, t, store.RuleProposal{Record: own, PullRequest: p.ID, Number: int64(p.Number), Finding: finding, Thread: domain.NumberID(int64(i)), ThreadURL: "https://host.example.com/ü", Title: names[i%8], Instruction: long + name(i), Languages: `["go"]`, ProposedName: names[0]})
		add(proposed, err)
		if to := pick(i, "proposed", "accepted", "declined"); to != "proposed" {
			must(e.t, s.DecideRuleProposal(bg, t, own.Repository, proposed.ID, store.RuleProposalDecision{To: domain.RuleProposalState(to), Note: long, By: e.admin.id, Name: names[1], Rule: "rul_gone"}))
		}
		add(s.AddTrackerLink(bg, t, store.TrackerLink{Record: own, PullRequest: p.ID, Number: p.Number, Tracker: pick(i, "jira", "linear", "azure-boards"), IssueKey: name(i), Title: long, URL: "https://jira.example.com/ü", State: names[1], FoundIn: pick(i, "branch", "title", "body", "commit", "host"),
			Wanted: sha(i), WantedSeq: int64(i), Recheck: long, Stranger: i%2 == 0}))
		add(store.AddRecord(bg, s, t, store.TriageRun{Record: own, PullRequest: p.ID, Number: p.Number, HeadSHA: sha(i), State: domain.TriageCompleted, Size: pick(i, "xs", "s", "m", "l", "xl"), Kind: names[0], Risk: pick(i, "low", "medium", "high"), Areas: `["ü"]`, Depth: "full", Labels: `[]`, Method: pick(i, "heuristic", "model")}))
		add(store.AddRecord(bg, s, t, store.DryRun{Record: own, Label: name(i), Numbers: `[1,2147483647]`, Overrides: `{}`, State: domain.DryRunState(pick(i, "queued", "running", "completed", "failed", "cancelled")), Reason: names[2], Result: `{}`, CreatedBy: e.admin.id, StartedUS: over, FinishedUS: over}))
		if i < 2 {
			e.dryRun(t, own)
		}
		fixRun, err := store.AddRecord(bg, s, t, store.FixRun{Record: own, Run: run, FindingIDs: `[]`, Delivery: domain.FixDelivery(pick(i, "suggestions", "branch", "commit")), State: domain.FixState(pick(i, "queued", "running", "publishing", "completed", "failed", "cancelled")), PullRequest: p.ID, Number: p.Number, HeadSHA: sha(i), AskedName: names[0], Result: `{}`, CommitSHA: sha(i), Branch: names[1], Reason: long, CreatedBy: e.admin.id, StartedUS: over, FinishedUS: over})
		add(fixRun, err)
		if i == 1 { // a running one
			_, err = s.SetFixOutcome(bg, t, fixRun.ID, store.FixOutcome{Result: `{}`, Findings: []store.FixFinding{{Finding: "fnd_x", Reason: "no_code"}}})
			must(e.t, err)
		}
		must(e.t, s.SaveFixStageResult(bg, t, fixRun.ID, "fix", sha(i), []byte(long)))
		add(store.AddRecord(bg, s, t, store.SastRun{Record: own, Run: run, HeadSHA: sha(i), State: pick(i, "running", "completed", "failed"), Analysers: `[{"name":"ü"}]`, NewFindings: math.MaxInt64, FinishedUS: over}))
		_, _, err = sastdocs.Documents{Store: s, Keyring: e.Keyring}.AddUpload(bg, t, store.SastRun{Record: own, HeadSHA: sha(i), Digest: sha(i), Analysers: `[]`, LeftOut: `[]`, UploadedBy: e.admin.id}, []byte(long))
		must(e.t, err)
		if finding != "" {
			add(s.AddOutcome(bg, t, domain.Outcome{Finding: finding, Kind: domain.OutcomeKinds()[i/2%6], Person: e.admin.id, Name: names[i%8]}))
		}
		agreed := []*bool{nil, new(true), new(false)}[i%3]
		add(store.AddRecord(bg, s, t, store.Assignment{Record: own, PullRequest: p.ID, Number: p.Number, Mode: pick(i, "shadow", "suggest", "apply"), Suggestions: `[]`, Agreed: agreed}))
		answer, _, err := s.AddAnswer(bg, t, store.CommandAnswer{PullRequest: p.ID, Comment: domain.NumberID(math.MaxInt64 - int64(i)), Thread: domain.NumberID(int64(i % 2)), Body: long}, 100)
		add(answer, err)
		_, err = s.ObeyCommand(bg, t, p.ID, domain.NumberID(int64(i%2)), domain.NumberID(math.MaxInt64-int64(i)))
		must(e.t, err)
		if to := pick(i, "waiting", "said", "dropped"); to != "waiting" {
			add(s.EndAnswer(bg, t, answer, domain.AnswerState(to), domain.NumberID(math.MaxInt64-int64(i)), names[i%8]))
		}
		storetest.Raw(e.sql).RequestReview(p, e.admin.id, math.MaxInt32)
		must(e.t, s.SaveGuidelineSentences(bg, t, sha(i), `["Never.","ü"]`))
		must(e.t, s.SaveGuidelineFiles(bg, t, p.Repository, []store.GuidelineFile{{Path: name(i) + "/AGENTS.md", CommitSHA: sha(i), Paths: `["ü/**"]`, Except: `[]`, Sentences: `[{"id":"gdl_1","text":"Never."}]`}}, nil))
	}
	e.triage()
	e.onboardings()
	for i, repository := range []string{"", "", e.repositories[0].ID} {
		alert := kept[store.BudgetAlert](e.service)(s.AddBudgetAlert(bg, t, store.BudgetAlert{Repository: repository, Period: "2026-11", Threshold: 50 + 30*(i%2), BudgetMicros: math.MaxInt64, SpentMicros: int64(i), Currency: "EUR"}))
		if i == 1 {
			e.change(e.admin, http.MethodPost, e.path("/budget-alerts/"+alert.ID+"/acknowledge"), nil)
		}
	}
}

// tell creates messages to channels and browsers, and calls of tools.
func (e *estate) tell() {
	e.t.Helper()
	s, t := e.Store, e.Tenant
	events := texts(e.t, e.db, `SELECT id FROM events WHERE tenant_id = $1 ORDER BY id`, t.ID)
	channels := kept[[]store.Channel](e.service)(s.Channels(bg, t, store.Cursor{}, 100))
	for i, c := range channels[:3] {
		for k, state := range []string{"pending", "delivered", "failed", "pending"} {
			n := kept[store.Notification](e.service)(s.AddNotification(bg, t, store.Notification{ID: domain.NewID("msg"), Channel: c.ID, State: "pending", Event: domain.EventReviewCompleted, EventID: events[k], Payload: string(jsonOf(object{"text": long}))}))
			if k < 3 {
				n.State, n.ResponseCode, n.Error = state, int64(200+k), names[k]
				_, err := s.RecordAttempt(bg, t, n, time.Hour)
				must(e.t, err)
			}
		}
		kept[store.Notification](e.service)(s.AddNotification(bg, t, store.Notification{ID: domain.NewID("msg"), Channel: c.ID, State: "pending", Event: "test", Payload: "{}"}))
		if i == 1 {
			must(e.t, s.FailChannel(bg, t, c.ID))
		}
	}
	browsers := kept[[]store.PushSubscription](e.service)(s.PushSubscriptions(bg, t, e.admin.id))
	for i, state := range []string{"pending", "delivered", "failed", "dropped"} {
		d := kept[store.PushDelivery](e.service)(s.AddPushDelivery(bg, t, store.PushDelivery{ID: domain.NewID("pdl"), Subscription: browsers[i%2].ID, EventID: events[i], Event: domain.EventReviewCompleted, Repository: e.repositories[0].ID, Payload: "{}"}))
		if d.State, d.Error = state, names[i]; i > 0 {
			_, err := s.RecordPushAttempt(bg, t, d)
			must(e.t, err)
		}
	}
	must(e.t, s.RecordPush(bg, t, browsers[0].ID, true))
	must(e.t, s.RecordPush(bg, t, browsers[1].ID, false))
	servers := kept[[]store.MCPServer](e.service)(s.MCPServers(bg, t, store.Cursor{}, 100))
	for i, v := range servers[:2] {
		must(e.t, s.PutMCPTools(bg, t, v.ID, []store.MCPTool{{Server: v.ID, Name: "search", Description: long, Digest: sha(1), Allowed: sha(1), Shown: `{"type":"object"}`}, {Server: v.ID, Name: names[1], Description: "", Digest: sha(2), Allowed: sha(2), Blocked: true}}))
		kept[store.MCPServer](e.service)(s.SetMCPDiscovery(bg, t, v.ID, v.Version, []string{"active", "error"}[i], names[i]))
		for _, run := range []string{"", e.runs[0].ID} {
			kept[store.MCPCall](e.service)(s.AddMCPCall(bg, t, store.MCPCall{Server: v.ID, Run: run, Tool: names[1], Outcome: "ok", DurationUS: math.MaxInt64, RequestBytes: 1, ResponseBytes: math.MaxInt32}))
		}
	}
	tokens := kept[[]store.MCPToken](e.service)(s.MCPTokens(bg, t, "", store.Cursor{}, 1))
	for i, about := range []string{"", e.repositories[0].ID, ""} {
		call := kept[store.AssistantCall](e.service)(s.BeginAssistantCall(bg, t, store.AssistantCall{Token: tokens[0].ID, Kind: []string{"tool", "resource", "prompt"}[i], Name: names[1], RequestBytes: math.MaxInt32}))
		if i > 0 { // the first one goes on
			_, err := s.EndAssistantCall(bg, t, call.ID, about, []string{"ok", "not_found"}[i-1], math.MaxInt32)
			must(e.t, err)
		}
	}
	e.sql(`UPDATE mcp_tokens SET expires_us = $1 WHERE tenant_id = $2`, int64(forever), t.ID)
	e.sql(`UPDATE invitations SET expires_us = $1 WHERE tenant_id = $2`, int64(forever), t.ID)
}

// belong creates memberships of every source, identities and roles.
func (e *estate) belong() {
	e.t.Helper()
	s, t := e.Store, e.Tenant
	providers := kept[[]store.IdentityProvider](e.service)(s.TenantProviders(bg, t))
	mapping := e.create(e.admin, e.path("/oidc-role-mappings"), object{"identityProviderId": providers[0].ID, "claim": []string{"realm", "groups/ü"}, "value": names[1], "role": "member"})
	e.create(e.admin, e.path("/oidc-role-mappings"), object{"identityProviderId": providers[0].ID, "claim": []string{"groups"}, "value": strings.Repeat(names[1], 8), "role": "admin"})
	defer func() { must(e.t, s.SignOutMember(bg, t, e.people[len(e.people)-1].ID)) }()
	for i, u := range e.people {
		must(e.t, s.SetMember(bg, t, u.ID, []domain.Role{domain.RoleMember, domain.RoleAdmin}[(i+e.n)%2], "hand")) // the other sources lapse
		for _, m := range []store.Membership{{Source: "host", SourceID: e.installation.ID}, {Source: "mapping", SourceID: mapping}} {
			m.User, m.Role = u.ID, domain.RoleMember
			must(e.t, s.GrantMember(bg, t, m))
		}
		e.sql(`INSERT INTO host_account_links (tenant_id, connection_id, user_id, host, subject, login, name, state, proposed_by, proposed_us, decided_us)
			SELECT p.tenant_id, p.id, $2, lower(rtrim(p.base_url, '/')), $3, $4, $4, $5, $2, 1, $6 FROM provider_connections p WHERE p.tenant_id = $1`,
			t.ID, u.ID, "{"+u.ID+"}", names[1], []string{store.LinkProposed, store.LinkConfirmed, store.LinkRefused}[i%3], int64(i%3))
		for k, r := range e.repositories {
			must(e.t, s.SetRepositoryRole(bg, t, r.ID, u.ID, []string{"none", "view", "review", "manage"}[(i+k)%4]))
		}
	}
}

// claimed puts a job into the ledger and claims it.
func (s *service) claimed(j store.NewJob) store.Job {
	s.t.Helper()
	_, err := s.Store.Enqueue(bg, j)
	must(s.t, err)
	all := kept[[]store.Job](s)(s.Store.JobsOf(bg, j.Subject))
	return kept[store.Job](s)(s.Store.Claim(bg, all[len(all)-1].ID, "wrk_"+j.Subject, time.Hour))
}

// work creates deliveries and jobs in every state, workers and gates.
func (d *seed) work() {
	d.t.Helper()
	s := d.Store
	runs := texts(d.t, d.db, `SELECT id FROM review_runs ORDER BY id`)
	tenants := texts(d.t, d.db, `SELECT id FROM tenants ORDER BY id`)
	results := []domain.Disposition{"run", "coalesced", "applied", "ignored", "failed", ""}
	for i := range 60 {
		guid := fmt.Sprintf("guid-%03d", i)
		_, err := s.Ingest(bg, store.NewDelivery{Source: d.apps[i%2], GUID: guid, Event: "pull_request", Action: names[i%8], SHA256: sha(i), Payload: []byte{0, 0xff, '\'', byte(i)}, FairKey: names[i%3]})
		must(d.t, err)
		v := kept[[]store.Delivery](d.service)(s.DeliveriesByGUID(bg, guid))[0]
		job := kept[[]store.Job](d.service)(s.JobsOf(bg, v.ID))[0]
		switch i % 7 {
		case 1:
			kept[store.Job](d.service)(s.Claim(bg, job.ID, names[1], time.Hour))
		case 2, 3, 4, 5:
			job = kept[store.Job](d.service)(s.Claim(bg, job.ID, "wrk_1", time.Hour))
			d.end(job, i%7)
		}
		if result := results[i%6]; result != "" {
			must(d.t, s.Dispose(bg, v.ID, tenants[i%3], result, names[i%8], map[bool]string{true: runs[i]}[result == "run"]))
		}
	}
	d.sql(`UPDATE webhook_deliveries SET payload = NULL WHERE delivery_guid < 'guid-020'`) // the retention time is over
	for i, kind := range []domain.JobKind{domain.KindReview, domain.KindReflect, domain.KindEvent, domain.KindNotify, domain.KindPush} {
		for k := range 6 {
			_, err := s.Enqueue(bg, store.NewJob{Kind: kind, FairKey: names[k], Subject: runs[i*6+k], Tenant: tenants[k%3], Delay: time.Duration(k) * time.Hour})
			must(d.t, err)
		}
	}
	_, err := s.Enqueue(bg, store.NewJob{Kind: domain.KindReview, FairKey: names[0], Subject: "run_turn", Tenant: tenants[0]})
	must(d.t, err)
	turn := kept[[]store.Job](d.service)(s.JobsOf(bg, "run_turn"))[0]
	kept[store.Job](d.service)(s.ClaimInTurn(bg, turn.ID, "wrk_1", time.Hour))
	must(d.t, s.RecordHeartbeat(bg, store.Process{ID: names[1], Name: "worker on web-1, process 7", Version: "0.1.0", Keys: []string{"1a2b3c4d"}}, map[domain.Lane]int{domain.LaneDelivery: 8, domain.LaneReview: 2, domain.LanePublish: 4, domain.LaneBackground: 4}))
	for i := range 2 { // one is held, one is free again
		key := fmt.Sprint("github:", names[i])
		must(d.t, s.EnsureGate(bg, key))
		grant, _, ok, err := s.AcquireGate(bg, key, "gat_1", true, store.GateLimits{PerMinute: 60, PerHour: 400, Lease: time.Hour, Space: time.Second, Quarantine: time.Minute})
		if must(d.t, err); !ok {
			d.t.Fatal("the gate is not free")
		}
		if i == 1 {
			must(d.t, s.ReleaseGate(bg, key, grant.Gen, true, true, time.Second))
		}
	}
	for _, cost := range []*int64{nil, new(int64(math.MaxInt64))} {
		kept[store.EvalRun](d.service)(s.AddEvalRun(bg, store.EvalRun{Suite: names[1], Routing: long, Cases: math.MaxInt64, Recall: 1e6, CostMicros: cost}))
	}
}

// end ends a claimed job in one of the ways.
func (d *seed) end(job store.Job, how int) {
	d.t.Helper()
	s, err := d.Store, error(nil)
	switch how {
	case 2:
		_, err = s.FinishJob(bg, job.ID, job.Gen)
	case 3:
		_, err = s.RetryJob(bg, job.ID, job.Gen, time.Hour, 8, long)
	case 4:
		_, err = s.KillJob(bg, job.ID, job.Gen, names[0])
	case 5:
		_, err = s.KillJob(bg, job.ID, job.Gen, names[1])
		must(d.t, err)
		d.change(d.root, http.MethodPost, "/api/instance/dead-letters/"+job.ID+"/discard", object{"reason": names[1]})
	}
	must(d.t, err)
}

// signIns creates identities with tokens, sign-ins and the first run under way, and links.
func (d *seed) signIns() {
	d.t.Helper()
	s := d.Store
	for i, u := range d.people {
		v := kept[store.Identity](d.service)(s.CreateIdentity(bg, store.Identity{UserID: u.ID, Issuer: "https://github-0.example.com", Subject: fmt.Sprint(math.MaxInt64 - i), Kind: []string{"codehost", "oidc"}[i%2], Login: names[i]}))
		token := store.HostToken{Identity: v.ID, App: d.apps[i%2]}
		row := v.Issuer + " " + v.Subject + " " + token.App
		token.Access = d.seal("identity_tokens", row, "access_token")
		if i%2 == 0 {
			token.Refresh = d.seal("identity_tokens", row, "refresh_token")
		}
		must(d.t, s.SaveHostToken(bg, token, time.Hour, time.Hour))
		hash := secret.Hash(secret.NewToken(secret.State).Reveal())
		must(d.t, s.CreateSignInState(bg, store.SignInState{Hash: hash, Browser: sha(i), Kind: v.Kind, Provider: token.App, Sealed: d.seal("sign_in_states", hash, "sealed"), ReturnPath: "/ü", Session: ""}, time.Hour))
		link := secret.Hash(secret.NewToken(secret.Link).Reveal())
		must(d.t, s.CreateSignInLink(bg, store.NewSignInLink{TokenHash: link, User: u.ID, Purpose: "break-glass", Networks: []string{"", "10.0.0.0/8,192.0.2.0/24"}[i%2], Life: time.Hour}))
		if i == 0 {
			kept[string](d.service)(s.RedeemSignInLink(bg, link))
		}
		must(d.t, s.PutState(bg, sha(i), []string{"manifest", "install"}[i%2], u.ID, string(jsonOf(object{"ü": names[i]})), time.Hour))
	}
	_, err := s.CompleteSetup(bg)
	must(d.t, err)
	kept[store.PushKey](d.service)(s.CreatePushKey(bg, store.PushKey{Public: "BNcRdreALRFX", Private: d.seal("push_keys", "vapid", "private_key")}))
}

// seal seals a secret of the instance.
func (d *seed) seal(table, row, column string) []byte {
	d.t.Helper()
	return kept[[]byte](d.service)(d.Keyring.SealSecret(bg, secret.Scope{Table: table, Row: row, Column: column}, secret.New(names[1])))
}

// rare creates data that only old instances and crashes leave.
func (d *seed) rare() {
	d.t.Helper()
	s := d.Store
	for i, state := range []domain.InstallationState{domain.InstallationUnplaced, domain.InstallationSuspended, domain.InstallationDeleted} {
		v := kept[store.Installation](d.service)(s.UpsertInstallation(bg, store.Installation{AppID: d.apps[0], ExternalID: domain.NumberID(int64(100 + i)), AccountID: domain.NumberID(math.MaxInt64), AccountLogin: names[i], AccountType: "User"}))
		must(d.t, s.SetInstallationState(bg, v.ID, state))
	}
	tenants := texts(d.t, d.db, `SELECT id FROM tenants ORDER BY id`)
	_, err := s.MakeTenantOfAccount(bg, domain.Tenant{ID: tenants[0]}, "https://github-0.example.com/api/v3", domain.NumberID(math.MaxInt64))
	must(d.t, err)
	providers := texts(d.t, d.db, `SELECT id FROM identity_providers ORDER BY id`)
	d.sql(`INSERT INTO identity_provider_tenants (tenant_id, provider_id) VALUES ($1, $2)`, tenants[0], providers[1])
	for state, table := range map[string][]string{"active": {"provider_connections", "tracker_connections"}, "error": {"provider_connections", "tracker_connections"}} {
		for _, name := range table {
			d.sql(`UPDATE `+name+` SET state = $1, message = $2 WHERE id = (SELECT `+map[string]string{"active": "min", "error": "max"}[state]+`(id) FROM `+name+`)`, state, names[1])
		}
	}
	d.sql(`UPDATE mcp_tokens SET used_us = {now} WHERE id = (SELECT min(id) FROM mcp_tokens)`)
	d.sql(`UPDATE identity_tokens SET members_us = $1, roles_us = $1`, int64(forever))                                                             // the host is not asked
	d.sql(`UPDATE apps SET client_secret = NULL, client_secret_us = 0 WHERE id = $1`, d.apps[1])                                                   // created by a bootstrap
	d.sql(`UPDATE repositories SET access_id = NULL, host = NULL WHERE id = (SELECT min(id) FROM repositories WHERE installation_id IS NOT NULL)`) // of the version before accesses
	d.sql(`UPDATE jobs SET crash_attempts = 2, last_stage = 'generate' WHERE state = 'running'`)
	d.sql(`UPDATE jobs SET dispatched_us = {now} WHERE state = 'queued' AND kind = 'review.run'`)
}

// dryRun creates a dry run under way: one of its pull requests is done, one has a completed stage, and
// one waits.
func (e *estate) dryRun(t domain.Tenant, own store.Record) {
	s := e.Store
	run, err := s.CreateDryRun(bg, t, store.DryRun{Record: own, Label: names[0], Overrides: `{}`}, []int{1, 2, math.MaxInt32})
	must(e.t, err)
	_, err = s.MoveDryRun(bg, t, run.ID, store.DryRunMove{From: domain.DryRunQueued, To: domain.DryRunRunning, Cause: names[1]})
	must(e.t, err)
	pulls, err := s.DryPulls(bg, t, run.ID)
	must(e.t, err)
	for _, p := range pulls[:2] {
		_, err = s.MoveDryPull(bg, t, p.ID, store.DryPullMove{From: domain.DryPullQueued, To: domain.DryPullRunning})
		must(e.t, err)
		must(e.t, s.SetDryPullBase(bg, t, p.ID, sha(1), sha(2), sha(3)))
		_, err = s.StartDryPullWindow(bg, t, p.ID, time.Hour)
		must(e.t, err)
		must(e.t, s.SaveDryStageResult(bg, t, p.ID, "generate", sha(4), []byte{0, 1, 0xff}))
		_, err = s.BeginCall(bg, t, store.ModelCall{Repository: own.Repository, Run: p.ID, RunKind: store.RunKindDryRun, Stage: "generate", Tier: "standard", Model: names[2]})
		must(e.t, err)
	}
	_, err = s.MoveDryPull(bg, t, pulls[0].ID, store.DryPullMove{From: domain.DryPullRunning, To: domain.DryPullCompleted, Result: `{}`})
	must(e.t, err)
}

// triage creates triage runs in every state, and labels that one of them wanted, in every state too.
func (e *estate) triage() {
	e.t.Helper()
	s, t := e.Store, e.Tenant
	done := func(moved bool, err error) {
		e.t.Helper()
		if must(e.t, err); !moved {
			e.t.Fatal("a triage run is not where it should be")
		}
	}
	const queued, running = domain.TriageQueued, domain.TriageRunning
	for i, to := range domain.TriageStates() {
		p := e.pulls[i]
		id, made, err := s.CreateTriage(bg, t, store.TriageRun{Record: store.Record{Repository: p.Repository}, PullRequest: p.ID, Number: p.Number, HeadSHA: sha(500 + i), Cause: names[i]})
		must(e.t, err)
		done(made, nil)
		if to == queued {
			continue
		}
		done(s.MoveTriage(bg, t, id, store.TriageMove{From: queued, To: running, Cause: names[1]}))
		if to == running {
			continue
		}
		if to == domain.TriageCompleted {
			v := kept[store.TriageRun](e.service)(s.TriageForWork(bg, id))
			v.Size, v.Kind, v.Risk, v.Areas, v.Labels, v.Depth, v.DepthWhy, v.Method, v.Model, v.Lines = "xl", "migration", "high", `["ü"]`, `["ü","Risk: high"]`, "T4", long, domain.TriageModel, names[2], math.MaxInt64
			call := store.ModelCall{Repository: p.Repository, Run: id, RunKind: store.RunKindTriage, Stage: "triage", Tier: "fast", Model: v.Model}
			began := kept[string](e.service)(s.BeginCall(bg, t, call))
			call.CostMicros, call.Outcome = new(int64(math.MaxInt32)), "ok"
			_, err := s.EndCall(bg, t, began, call)
			must(e.t, err)
			done(s.SetTriageResult(bg, t, v))
			_, err = s.WantTriageLabels(bg, t, v, []string{"ü 🗝️", "Risk: high", "There", "Gone"})
			must(e.t, err)
			for label, became := range map[string]domain.LabelState{"RISK: high": domain.LabelSet, "There": domain.LabelThere, "Gone": domain.LabelDropped} {
				done(s.EndTriageLabel(bg, t, p.ID, label, became, names[3]))
			}
		}
		done(s.MoveTriage(bg, t, id, store.TriageMove{From: running, To: to, Cause: names[2], Reason: long}))
	}
}
