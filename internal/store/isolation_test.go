package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// victim is a tenant with a row of each kind that a tenant can have.
type victim struct {
	reply string // id of a reply to a finding
	fixed string // a resolved finding
	publishing
	pub     store.Publication
	finding string
	call    string
	crd     store.Credential
	user    string
	nouns   // the nouns of the interface, each in its own file
}

// nouns are the victim's rows that isolation_<noun>_test.go make and try.
type nouns struct {
	related
	rule     store.Rule
	proposed store.RuleProposal
	identity store.Identity
	personal personal
	connected
	collected
	onboarded
	index      store.CodeIndex
	credential store.Credential
	channel    store.Channel
	told       told
	idp        store.IdentityProvider
	mapping    store.RoleMapping
	unsettled  unsettled
	answer     string
	awaited    string // a job
	invitation store.Invitation
	invited    string // a person
}

func seedVictim(t testing.TB, s *store.Store) victim {
	t.Helper()
	v := victim{publishing: seedPublishing(t, s)}
	v.pub = v.creating(t, s)
	saved := must2(s.SaveRunFindings(bg, v.Run, []domain.Finding{finding("a", "A"), finding("shown", "B")}))(t)
	for _, move := range [][2]domain.FindingState{{domain.FindingOpen, domain.FindingDismissed}, {domain.FindingDismissed, domain.FindingOpen}} {
		testkit.OK(t, s.DecideFinding(bg, v.Tenant, v.Repository.ID, move[0], store.FindingDecision{Finding: saved[0].ID, State: move[1], Reason: "known", User: "usr_1"}))
	}
	v.finding = saved[0].ID
	testkit.OK(t, s.MarkPosted(bg, v.Tenant, v.Run.ID, []string{saved[1].ID}))
	v.call = must2(s.BeginCall(bg, v.Tenant, store.ModelCall{Run: v.Run.ID, Reserve: 1}))(t)
	v.crd = store.Credential{ID: domain.NewID("crd"), Name: "main", Kind: "openai"}
	v.user = must2(s.CreateUser(bg, "Mona", false))(t).ID
	storetest.Credential(t, s, v.Tenant, v.crd)
	testkit.OK(t, s.SetMember(bg, v.Tenant, v.user, domain.RoleAdmin, "hand"))
	for _, repository := range []string{"", v.Repository.ID} {
		testkit.OK(t, s.PutSetting(bg, v.Tenant, repository, store.SettingPolicy, "{}"))
	}
	testkit.OK(t, s.SaveStageResult(bg, v.Tenant, v.Run.ID, "generate", "h", []byte("one")))
	must2(s.AddToolCall(bg, v.Tenant, v.Run.ID, store.ToolCall{Stage: "verify", Tool: "read_file", Arguments: "{}", Outcome: "ok"}))(t)
	_, _, err := s.CreateRun(bg, v.Tenant, store.Run{Repository: v.Repository.ID, PullRequest: v.Pull.ID, Number: v.Pull.Number, HeadSHA: v.Pull.HeadSHA, TriggerKey: "asked", TriggerEvent: "request.review"})
	testkit.OK(t, err)
	testkit.OK(t, s.SaveRunDiff(bg, v.Tenant, v.Run.ID, []store.DiffFile{{Path: "a/b.go", Status: "modified", Hunks: []byte{0}}}))
	testkit.OK(t, s.SaveRunContext(bg, v.Tenant, v.Run.ID, []store.ContextItem{{Path: "a.go", StartLine: 1, EndLine: 2, Why: "caller"}}))
	testkit.OK(t, s.SaveDropped(bg, v.Tenant, v.Run.ID, []store.DroppedCandidate{{Stage: "verify", Why: "refuted", FindingID: v.finding}}))
	testkit.OK(t, s.AddReviewedHunks(bg, v.Tenant, v.Pull.ID, v.Pull.BaseRef, v.Run.ID, []string{"h"}))
	must2(s.TakeHeadCheck(bg, v.Tenant, v.headCheck(), false))(t)
	testkit.OK(t, s.AddEvent(bg, v.Tenant, "k", v.Run.ID, "{}"))
	_, held, err := s.BeginWrite(bg, v.Tenant, store.WriteAttempt{SubjectKind: "publication", SubjectID: v.pub.ID, Verb: "create", Gen: v.pub.Gen})
	testkit.OK(t, err)
	testkit.Equal(t, "held", held, true)
	for _, n := range nounTests {
		n.seed(t, s, &v)
	}
	return v
}

// nounTest makes the rows of one noun and names the calls that try them.
type nounTest struct {
	seed     func(t testing.TB, s *store.Store, v *victim)
	foreign  func(v victim) map[string][]any
	instance map[string]string // methods without a tenant's scope, with the reason
	ownRows  map[string]string // see ownRows
}

// nounTests are the tests of all nouns.
var nounTests = []nounTest{
	auditIsolation,
	rulesIsolation,
	oidcIsolation,
	tenantIsolation,
	peopleIsolation,
	personalIsolation,
	recordsIsolation,
	setupIsolation,
	connectionsIsolation,
	modelsIsolation,
	channelsIsolation,
	settleIsolation,
	answersIsolation, repliesIsolation, outcomesIsolation, calibrationsIsolation,
	guidelinesIsolation,
	awaitedIsolation,
	onboardingIsolation,
	codeIsolation,
}

// headCheck is the newest check of the victim's head.
func (v victim) headCheck() store.HeadCheck {
	return store.HeadCheck{Repository: v.Repository.ID, Head: v.Pull.HeadSHA, Run: v.Run.ID, CheckID: "7", Shown: "said"}
}

// foreign returns the arguments, after context and tenant, with which another tenant calls each scoped
// method: the ids of the victim.
func (v victim) foreign() map[string][]any {
	run, pull, repo, pub := v.Run.ID, v.Pull.ID, v.Repository.ID, v.pub.ID
	all := map[string][]any{
		"AbandonPublication":     {run, "evil"},
		"AddReviewedHunks":       {pull, v.Pull.BaseRef, run, []string{"new"}},
		"BeginCall":              {store.ModelCall{Run: run, Repository: repo}},
		"BudgetMonth":            {"", time.Now().UTC().Format("2006-01")},
		"BeginWrite":             {store.WriteAttempt{SubjectKind: "publication", SubjectID: pub, Gen: v.pub.Gen}},
		"ChooseReview":           {pub, v.pub.Gen, domain.HostID("7")},
		"ClaimPullRequest":       {pull, run},
		"CreateOutput":           {run, "", "{}", "d"},
		"CreateRun":              {store.Run{Repository: repo, PullRequest: pull, Number: 1, HeadSHA: v.Pull.HeadSHA, TriggerKey: "auto"}},
		"Credential":             {v.crd.ID},
		"FindingsNow":            {run},
		"RecordPullRequestEvent": {store.PullRequest{Repository: repo, Number: 1, Title: "evil", State: "closed", HostUpdatedUS: 1 << 50}},
		"HoldCredentials":        {},
		"SweepAgain":             {v.Repository.ID},
		"TakeUnswept":            {v.Installation.ID},
		"LostEdit":               {"reflect", run, time.Minute},
		"ReviewsAfter":           {v.Run, 10},
		"EnqueueSweep":           {v.Installation.ID, time.Duration(0)},
		"DisconnectRepositories": {v.Installation.ID, []domain.HostID{v.Repository.ExternalID}},
		"EndCall":                {v.call, store.ModelCall{Outcome: "ok"}},
		"FinishPullRequest":      {v.Run, domain.HostID("7")},
		"KnownFindings":          {pull},
		"LastRunOfHead":          {pull, v.Pull.HeadSHA},
		"LastRunOnto":            {pull, v.Pull.HeadSHA, v.Pull.BaseRef},
		"NewestRunOfHead":        {pull, v.Pull.HeadSHA},
		"PublishedOnto":          {store.Run{PullRequest: pull, HeadSHA: v.Pull.HeadSHA, BaseRef: v.Pull.BaseRef}},
		"SetVerdict":             {run, "failure"},
		"SetTargetTip":           {pull, "evil"},
		"HeadVerdicts":           {repo, v.Pull.HeadSHA, "", "", domain.Unreviewed{}},
		"HeadCheck":              {repo, v.Pull.HeadSHA, ""},
		"HeadChecks":             {repo, v.Pull.HeadSHA},
		"TakeHeadCheck":          {store.HeadCheck{Repository: repo, Head: v.Pull.HeadSHA, Run: run, CheckID: "9evil", Shown: "evil"}, false},
		"BeginCheckWrite":        {store.HeadCheck{Repository: repo, Head: v.Pull.HeadSHA, Run: run}, true},
		"EndCheckWrite":          {store.HeadCheck{Repository: repo, Head: v.Pull.HeadSHA, Run: run, Shown: "evil"}, int64(0)},
		"LatestOutput":           {run},
		"MarkPosted":             {run, []string{v.finding}},
		"MovePublication":        {pub, v.pub.Gen, domain.PhaseCreating, domain.PhaseAbandoned, "", ""},
		"MoveRun":                {run, store.RunMove{From: domain.RunQueued, To: domain.RunRunning}},
		"NewerRun":               {store.Run{PullRequest: pull}},
		"OpenRuns":               {pull, ""},
		"PlaceInstallation":      {v.Installation.ID},
		"Prepare":                {v.row("evil"), v.job.ID, v.job.Gen},
		"PublicationByID":        {pub},
		"PublicationOf":          {run},
		"LatestReview":           {pull},
		"PublishedBefore":        {pull, ""},
		"PullRequest":            {pull},
		"PullRequestCost":        {pull},
		"PutSetting":             {repo, store.SettingPolicy, `{"evil":1}`},
		"ReplacePayload":         {pub, v.pub.Gen, "evil", "evil"},
		"Repositories":           {},
		"Repository":             {repo},
		"RepositoryByExternal":   {v.Installation.ID, v.Repository.ExternalID},
		"ReviewedHunks":          {pull, v.Pull.BaseRef, domain.DepthFull},
		"ReviewRounds":           {pull, ""},
		"LastRound":              {pull, ""},
		"RoleOf":                 {v.user},
		"Run":                    {run},
		"RunFindings":            {run},
		"RunUsage":               {run},
		"Runs":                   {repo, store.RunFilter{Limit: 10}},
		"SaveStageResult":        {run, "generate", "new", []byte("evil")},
		"UpsertPullRequest":      {store.PullRequest{Repository: repo, Number: 1, Title: "evil", State: "closed", HostUpdatedUS: 1 << 50}},
		"UpsertRepository":       {store.Repository{Installation: v.Installation.ID, ExternalID: v.Repository.ExternalID, Name: "evil"}},
		"SetThreadsOutdated":     {[]string{v.finding}},
		"SetComment":             {v.finding, domain.HostID(""), domain.HostID("7"), "https://evil.example"},
		"SetFindingState":        {pull, run, []string{v.finding}, domain.FindingDismissed},
		"SetPaused":              {pull, true},
		"SetVisibility":          {repo, false, true},
		"VisibilityKnown":        {repo, time.Hour},
		"SetRunBase":             {run, "evil", "evil", "evil", "evil"},
		"SetRunProgress":         {run, "evil"},
		"SetRunResult":           {run, "evil", "evil", "evil"},
		"Setting":                {repo, store.SettingPolicy},
		"ShownElsewhere":         {repo, "", []string{"shown"}},
		"StageResult":            {run, "generate", "h"},
		"StartModelWindow":       {run, time.Hour},
		"AddToolCall":            {run, store.ToolCall{Stage: "verify", Tool: "evil", Outcome: "ok"}},
		"ToolCalls":              {run},
		"SaveRunDiff":            {run, []store.DiffFile{{Path: "evil", Status: "added", Hunks: []byte{1}}}},
		"RunDiff":                {run, int64(0), 10},
		"RunDiffNames":           {run, int64(0), 10},
		"RunDiffOf":              {run, "a/b.go"},
		"SaveDropped":            {run, []store.DroppedCandidate{{Stage: "verify", Why: "evil"}}},
		"DroppedCandidates":      {run, "", int64(0), 10},
		"SaveRunContext":         {run, []store.ContextItem{{Path: "evil", Why: "caller"}}},
		"RunContext":             {run, "", int64(0), 10},
		"Outputs":                {run},
		"RunWrites":              {run},
		"TenantRuns":             {store.RunsFilter{Repository: repo, Limit: 10}},
		"RunRowsByID":            {[]string{run}},
		"RepositoryGlances":      {[]string{repo}},
		"PullRequests":           {repo, store.PullFilter{Limit: 10}},
		"RequestedRuns":          {repo, time.Hour},
		"Findings":               {repo, store.FindingsFilter{Limit: 10}},
		"Finding":                {repo, v.finding},
		"Sightings":              {v.finding},
		"TenantFindings":         {store.TenantFindingsFilter{State: domain.FindingOpen}, store.FindingsPage{Order: store.WorstFirst, Limit: 10}},
		"FindingPlaces":          {[]string{v.finding}},
		"RunSeverities":          {[]string{run}},
		"RepositorySeverities":   {[]string{repo}},
		"PullSeverities":         {[]string{pull}},
		"RunCosts":               {[]string{run}},
		"SearchPulls":            {store.SearchFilter{Text: "change", Limit: 10}},
		"SearchFindings":         {store.SearchFilter{Limit: 10}},
		"CountFindings":          {store.TenantFindingsFilter{State: domain.FindingOpen}},
		"DecideFinding":          {repo, domain.FindingOpen, store.FindingDecision{Finding: v.finding, State: domain.FindingDismissed, Reason: "evil", User: "usr_evil"}},
		"FindingDecisions":       {v.finding},
		"FindingSuppressions":    {repo, v.finding},
		"FindingApprovals":       {v.finding},
		"Transitions":            {run},
		"Writes":                 {"publication", pub},
	}
	for _, n := range nounTests {
		maps.Copy(all, n.foreign(v))
	}
	return all
}

// ownRows are scoped methods that only ever write a row of the calling tenant, and do not change the
// rows that their arguments name.
var ownRows = map[string]string{
	"AddEvent":  "the event is the caller's; its subject is a name that is never followed",
	"SetMember": "people belong to the instance; the membership is the caller's",
}

func allOwnRows() map[string]string {
	all := maps.Clone(ownRows)
	for _, n := range nounTests {
		maps.Copy(all, n.ownRows)
	}
	return all
}

func TestForeignTenantSeesAndChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := seedVictim(t, s)
		other := storetest.Seed(t, s).Tenant
		testkit.OK(t, s.AddEvent(bg, other, "k", v.Run.ID, "{}"))
		testkit.OK(t, s.SetMember(bg, other, v.user, domain.RoleMember, "hand"))
		raw(t, s, `DELETE FROM repositories WHERE tenant_id = $1`, other.ID) // so that the other tenant's lists are empty
		calls := v.foreign()
		before := dump(t, s)
		if n := len(tables(t, s)); strings.Count(before, "\n") < n {
			t.Fatalf("the dump of %d tables has no rows to speak of", n)
		}
		for _, m := range scoped() {
			if _, own := allOwnRows()[m.Name]; own {
				continue
			}
			args, there := calls[m.Name]
			if !there {
				t.Errorf("%s takes a tenant and is not tried here: add it to foreign()", m.Name)
				continue
			}
			delete(calls, m.Name)
			if m.Name == "Memberships" || m.Name == "RoleOf" { // the other tenant has this person, too
				raw(t, s, `DELETE FROM memberships WHERE tenant_id = $1`, other.ID)
				before = dump(t, s)
			}
			if m.Name == "RecentActivity" { // the other tenant has an event of its own
				raw(t, s, `DELETE FROM events WHERE tenant_id = $1`, other.ID)
				before = dump(t, s)
			}
			for i, got := range call(bg, s, m, other, args) {
				if err, isErr := got.(error); isErr {
					if !errs.Is(err, errs.NotFound) {
						t.Errorf("%s: the error is %v, want one of kind not_found", m.Name, err)
					}
				} else if !empty(got) {
					t.Errorf("%s: result %d is %+v, want nothing", m.Name, i, got)
				}
			}
			if after := dump(t, s); after != before {
				t.Errorf("%s changed rows:\n%s", m.Name, difference(before, after))
				before = after
			}
		}
		for name := range calls {
			t.Errorf("foreign() has %s, which is not a scoped method", name)
		}
	})
}

// The same calls by the tenant itself do find or change something. Otherwise the test above would also
// pass with ids that do not exist.
func TestOwnTenantIsServed(t *testing.T) {
	nothing := []string{"LastPublished", "PublishedReviews", "EndedHeads", "CleanChanges", "LastRunOfHead", "LastRunOnto", "PublishedOnto", "NewerRun", "LatestReview", "PublishedBefore", "ReviewRounds", "LastRound", "PullRequestCost", "FixRoom", "StartDelay", "EarlierReviews", "TakeUnswept", "LostEdit", // their rows do not exist yet
		"RepositorySeverities", "PullSeverities", "SearchFindings", "UsefulnessProposed", // no finding is open, and no rule proposed as useless
		"StartCalibration", // has just started
		"BeginCodeRebuild", // the first build is under way
		"HoldTracker"}      // locks a row, changes and returns nothing
	methods := slices.DeleteFunc(scoped(), func(m reflect.Method) bool {
		_, own := allOwnRows()[m.Name]
		return own || slices.Contains(nothing, m.Name)
	})
	each(t, func(t *testing.T, s *store.Store) {
		asked := owner{store: s}
		for _, m := range methods {
			asked.serves(t, m)
		}
	})
}

// owner calls methods as the tenant that owns the named rows. It keeps its rows until a call changes
// one.
type owner struct {
	store  *store.Store
	victim victim
	rows   string // the dump of all tables, empty before the first victim is made
}

// serves calls m, which must return or change something. The call is rolled back, so that the next one
// finds the rows untouched, unless m needs a transaction of its own.
func (o *owner) serves(t *testing.T, m reflect.Method) {
	t.Helper()
	if o.rows == "" {
		o.victim = seedVictim(t, o.store)
		o.rows = dump(t, o.store)
	}
	args, there := o.victim.foreign()[m.Name]
	if !there {
		return // TestForeignTenantSeesAndChangesNothing reports it
	}
	if !o.undone(t, m, args) && !o.kept(t, m, args) {
		t.Errorf("%s neither returned nor changed anything for its own tenant", m.Name)
	}
}

// undone reports whether a call that is rolled back returns or changes something.
func (o *owner) undone(t *testing.T, m reflect.Method, args []any) (useful bool) {
	t.Helper()
	undo := errors.New("undo")
	err := o.store.InTx(bg, func(ctx context.Context) error {
		for _, got := range call(ctx, o.store, m, o.victim.Tenant, args) {
			if _, isErr := got.(error); isErr {
				useful = false
				return undo // kept reports the problem
			}
			useful = useful || !empty(got)
		}
		useful = useful || dumpIn(ctx, t, o.store) != o.rows
		return undo
	})
	if !errors.Is(err, undo) {
		t.Errorf("%s: %v", m.Name, err)
	}
	return useful
}

// kept reports whether a committed call returns or changes something. If it changes rows, the next call
// gets a new victim.
func (o *owner) kept(t *testing.T, m reflect.Method, args []any) (useful bool) {
	t.Helper()
	for _, got := range call(bg, o.store, m, o.victim.Tenant, args) {
		if err, isErr := got.(error); isErr {
			t.Errorf("%s: %v", m.Name, err)
		} else if !empty(got) {
			useful = true
		}
	}
	if dump(t, o.store) != o.rows {
		useful, o.rows = true, ""
	}
	return useful
}

// SaveRunFindings takes its tenant from the run.
func TestForeignRunSavesNoFindings(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v, other := seedVictim(t, s), storetest.Seed(t, s)
		before := dump(t, s)
		for name, exact := range map[string]string{"over one that is there": "a", "beside it": "new"} {
			run := v.Run
			run.Tenant = other.Tenant.ID
			_, err := s.SaveRunFindings(bg, run, []domain.Finding{finding(exact, "evil")})
			if !errs.Is(err, errs.NotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
		testkit.Equal(t, "rows", dump(t, s), before)
	})
}

var tenantType = reflect.TypeFor[domain.Tenant]()

// scoped lists the methods whose first parameter after the context is a tenant.
func scoped() (out []reflect.Method) {
	for m := range reflect.TypeFor[*store.Store]().Methods() {
		if m.Type.NumIn() > 2 && m.Type.In(2) == tenantType {
			out = append(out, m)
		}
	}
	return out
}

func call(ctx context.Context, s *store.Store, m reflect.Method, tenant domain.Tenant, args []any) (out []any) {
	in := []reflect.Value{reflect.ValueOf(s), reflect.ValueOf(ctx), reflect.ValueOf(tenant)}
	for _, a := range args {
		in = append(in, reflect.ValueOf(a))
	}
	invoke := m.Func.Call
	if m.Type.IsVariadic() {
		invoke = m.Func.CallSlice
	}
	for _, v := range invoke(in) {
		if v.Kind() == reflect.Interface && v.IsNil() {
			continue // no error result
		}
		out = append(out, v.Interface())
	}
	return out
}

func empty(v any) bool {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Slice, reflect.Map:
		return r.Len() == 0
	default:
		return r.IsZero()
	}
}

func difference(a, b string) string {
	var out strings.Builder
	old := strings.Split(a, "\n")
	fresh := strings.Split(b, "\n")
	for _, l := range old {
		if !slices.Contains(fresh, l) {
			fmt.Fprintln(&out, "-", l)
		}
	}
	for _, l := range fresh {
		if !slices.Contains(old, l) {
			fmt.Fprintln(&out, "+", l)
		}
	}
	return out.String()
}
