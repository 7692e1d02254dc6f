package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
)

// beyondRoutes are endpoints that the specification does not have and people
// need; they obey the same rules.
func beyondRoutes() []Route {
	return []Route{
		{"POST", breakGlass, perm.Public, "-", "-", form(raw("Redeem a one-time sign-in link", linkAnswers(), (*server).redeemLink), tokenForm())},
		{"GET", "/openapi.json", perm.Public, "-", "no", raw("This description", openAPIAnswers(), (*server).openAPI)},
		{"GET", "/api/me/sessions", perm.Authenticated, "-", "no", typed("The person's sessions", (*server).sessions)},
		{"DELETE", "/api/me/sessions/{sessionId}", perm.Authenticated, "-", "yes", typed("End a session of the person", (*server).endSession)},
		{"GET", "/setup", perm.Public, "-", "no", raw("The page of the first run", setupPageAnswers(), (*server).setupPage)},
		{"POST", "/setup", perm.Public, "-", "-", form(raw("A step of the first run, from its page", setupPageAnswers(), (*server).setupForm), setupFormFields())},
		{"POST", setupSession, perm.Public, "SetupToken", "-", typed("Open the first run with its token", (*server).openSetup)},
		{"PUT", "/setup/instance", perm.Public, "SetupInstance", "-", typed("Name the instance", (*server).nameInstance)},
		{"POST", "/setup/finish", perm.Public, "SetupFinish", "-", creates("Make the first tenant with its admin", (*server).finishSetup)},
		{"GET", inst + "/tenants", perm.InstanceManage, "-", "no", typed("List tenants", (*server).instanceTenants)},
		{"POST", inst + "/tenants", perm.InstanceManage, "TenantCreate", "yes", creates("Make a tenant", (*server).createInstanceTenant)},
		{"POST", inst + "/tenants/{id}/join", perm.InstanceManage, "TenantJoin", "yes", typed("Become a member of a tenant, which is told", (*server).joinTenant)},
		{"GET", inst + "/installations", perm.InstanceManage, "-", "no", typed("List installations of apps", (*server).instanceInstallations)},
		{"POST", inst + "/installations/{installationId}/place", perm.InstanceManage, "InstallationPlace", "yes", typed("Give a waiting installation to a tenant", (*server).placeInstallation)},
		{"POST", ten + "/installations", perm.TenantManage, "InstallBegin", "-", typed("Where to install an app for this tenant", (*server).beginInstall)},
		{"GET", inst + "/dead-letters", perm.InstanceManage, "-", "no", typed("List jobs that were given up", (*server).deadLetters)},
		{"POST", inst + "/dead-letters/{jobId}/redrive", perm.InstanceManage, "-", "yes", typed("Give a dead job a new life", (*server).redrive)},
		{"POST", inst + "/dead-letters/{jobId}/discard", perm.InstanceManage, "DeadLetterDiscard", "yes", typed("Give a dead job up", (*server).discard)},
		{"GET", "/api/llm-presets", perm.Authenticated, "-", "no", typed("What is known of model providers", (*server).llmPresets)},
		{"GET", inst + "/llm-prices", perm.InstanceManage, "-", "no", typed("What models cost, as instance admins have entered it", (*server).instancePrices)},
		{"PUT", inst + "/llm-prices", perm.InstanceManage, "LlmPrices", "yes", typed("Enter what models cost, for every tenant", (*server).putInstancePrices)},
		{"GET", ten + "/llm-prices", perm.TenantManage, "-", "no", typed("What models cost, as the tenant's admins have entered it", (*server).tenantPrices)},
		{"PUT", ten + "/llm-prices", perm.TenantManage, "LlmPrices", "yes", typed("Enter what models cost, before the prices of the instance", (*server).putTenantPrices)},
		{"GET", inst + "/deliveries", perm.InstanceManage, "-", "no", typed("Find what became of a delivery", (*server).deliveries)},
		{"PUT", ten + "/members/{userId}", perm.TenantManage, "MemberUpdate", "yes", typed("Give a person a role by hand", (*server).putMember)},
		{"DELETE", ten + "/members/{userId}", perm.TenantManage, "-", "yes", typed("Take back the role that was given by hand", (*server).deleteMember)},
	}
}

// DeadLetter is a job that was given up and waits for an operator.
type DeadLetter struct {
	ID            string    `json:"id"`
	Kind          string    `json:"kind"`
	Lane          string    `json:"lane"`
	Subject       string    `json:"subject" doc:"What the job is about: a delivery, a run"`
	TenantID      string    `json:"tenantId,omitempty"`
	Attempts      int64     `json:"attempts" doc:"Handled failures"`
	CrashAttempts int64     `json:"crashAttempts" doc:"Workers that died with it"`
	LastStage     string    `json:"lastStage"`
	LastError     string    `json:"lastError"`
	CreatedAt     time.Time `json:"createdAt"`
	FinishedAt    time.Time `json:"finishedAt"`
}

// DeadLettersInput is the input of GET I/dead-letters.
type DeadLettersInput struct {
	Limit int `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"The newest ones"`
}

// DeadLettersOutput wraps the list, newest first.
type DeadLettersOutput struct{ Body List[DeadLetter] }

func (s *server) deadLetters(ctx context.Context, in *DeadLettersInput) (*DeadLettersOutput, error) {
	rows, err := s.Store.DeadJobs(ctx, in.Limit)
	out := &DeadLettersOutput{Body: List[DeadLetter]{Items: []DeadLetter{}}}
	for _, j := range rows {
		out.Body.Items = append(out.Body.Items, deadLetter(j))
	}
	return out, err
}

func deadLetter(j store.Job) DeadLetter {
	return DeadLetter{ID: j.ID, Kind: string(j.Kind), Lane: string(j.Lane), Subject: j.Subject, TenantID: j.Tenant, Attempts: j.Attempts, CrashAttempts: j.CrashAttempts,
		LastStage: j.LastStage, LastError: j.LastError, CreatedAt: at(j.CreatedUS), FinishedAt: at(j.FinishedUS)}
}

// InDeadLetter is the path of a dead letter's routes.
type InDeadLetter struct {
	JobID string `path:"jobId"`
}

// NoOutput is an answer without a body (204).
type NoOutput struct{}

func (s *server) redrive(ctx context.Context, in *InDeadLetter) (*NoOutput, error) {
	return s.deadLetterDone(ctx, "dead-letter.redrive", in.JobID, "", func(ctx context.Context) (bool, error) { return s.Store.RedriveJob(ctx, in.JobID) })
}

// DeadLetterDiscard is the body of POST I/dead-letters/{jobId}/discard.
type DeadLetterDiscard struct {
	Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"Why nobody will do this job"`
}

// DiscardInput is its input.
type DiscardInput struct {
	InDeadLetter
	Body DeadLetterDiscard
}

func (s *server) discard(ctx context.Context, in *DiscardInput) (*NoOutput, error) {
	return s.deadLetterDone(ctx, "dead-letter.discard", in.JobID, in.Body.Reason, func(ctx context.Context) (bool, error) {
		return s.Store.DiscardJob(ctx, in.JobID, in.Body.Reason)
	})
}

func (s *server) deadLetterDone(ctx context.Context, action, id, reason string, f func(ctx context.Context) (bool, error)) (*NoOutput, error) {
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		done, err := f(ctx)
		if err == nil && !done {
			err = errs.Absent()
		}
		return audit.Act{Action: action, Target: audit.Target{Kind: "job", ID: id}, Note: reason}, err
	})
	if err != nil {
		return nil, err
	}
	return &NoOutput{}, nil
}

// DeliveryJob is one job about a delivery.
type DeliveryJob struct {
	ID           string     `json:"id"`
	State        string     `json:"state"`
	Attempts     int64      `json:"attempts"`
	DispatchedAt *time.Time `json:"dispatchedAt,omitempty"`
	FinishedAt   *time.Time `json:"finishedAt,omitempty"`
	LastError    string     `json:"lastError"`
}

// Delivery is a webhook with every step that it took.
type Delivery struct {
	ID          string        `json:"id"`
	GUID        string        `json:"guid" doc:"The host's id of the delivery"`
	SourceID    string        `json:"sourceId" doc:"The app or connection that received it"`
	TenantID    string        `json:"tenantId,omitempty"`
	Event       string        `json:"event"`
	Action      string        `json:"action"`
	State       string        `json:"state" enum:"received,queued,run,coalesced,applied,ignored,failed"`
	Reason      string        `json:"reason"`
	ReceivedAt  time.Time     `json:"receivedAt"`
	ProcessedAt *time.Time    `json:"processedAt,omitempty"`
	Jobs        []DeliveryJob `json:"jobs"`
	RunID       string        `json:"runId,omitempty"`
	RunState    string        `json:"runState,omitempty"`
}

// DeliveriesInput is the input of GET I/deliveries.
type DeliveriesInput struct {
	GUID string `query:"guid" required:"true" minLength:"1" maxLength:"200" doc:"The host's id of a delivery"`
}

// DeliveriesOutput wraps the list: one delivery per app or connection that
// received it.
type DeliveriesOutput struct{ Body List[Delivery] }

func (s *server) deliveries(ctx context.Context, in *DeliveriesInput) (*DeliveriesOutput, error) {
	rows, err := s.Store.DeliveriesByGUID(ctx, in.GUID)
	if err != nil {
		return nil, err
	}
	out := &DeliveriesOutput{Body: List[Delivery]{Items: []Delivery{}}}
	for _, d := range rows {
		v, err := s.delivery(ctx, d)
		if err != nil {
			return nil, err
		}
		out.Body.Items = append(out.Body.Items, v)
	}
	return out, nil
}

func (s *server) delivery(ctx context.Context, d store.Delivery) (Delivery, error) {
	v := Delivery{ID: d.ID, GUID: d.GUID, SourceID: d.Source, TenantID: d.Tenant, Event: d.Event, Action: d.Action, State: "received", Reason: d.Reason,
		ReceivedAt: at(d.ReceivedUS), ProcessedAt: maybe(d.ProcessedUS), RunID: d.RunID, Jobs: []DeliveryJob{}}
	jobs, err := s.Store.JobsOf(ctx, d.ID)
	if err != nil {
		return v, err
	}
	for _, j := range jobs {
		v.Jobs = append(v.Jobs, DeliveryJob{j.ID, string(j.State), j.Attempts, maybe(j.DispatchedUS), maybe(j.FinishedUS), j.LastError})
		if j.DispatchedUS != 0 || j.State != domain.JobQueued {
			v.State = "queued"
		}
	}
	if d.Disposition != "" {
		v.State = string(d.Disposition)
	}
	if d.RunID == "" {
		return v, nil
	}
	run, err := s.Store.RunForWork(ctx, d.RunID)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return v, err
	}
	v.RunState = string(run.State)
	return v, nil
}
