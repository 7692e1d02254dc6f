package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

type runsCmd struct {
	List runsListCmd `cmd:"" help:"List review runs, or runs of another kind, newest first."`
	Show runsShowCmd `cmd:"" help:"Show a review run with findings, states and usage, or the results of a run of another kind."`
}

type runsListCmd struct {
	Kind        string `default:"review" enum:"review,dry_run,triage,fix,ci" help:"Runs: review, dry_run, triage, fix or ci (failed jobs)."`
	Repository  string `short:"r" placeholder:"OWNER/NAME" help:"Only runs of this repository."`
	State       string `help:"Only runs in this state, such as failed. Each kind has its own states."`
	PullRequest int    `short:"p" name:"pull-request" placeholder:"NUMBER" help:"Only runs of this pull request."`
	Limit       int    `default:"20" help:"Most runs to list."`
	JSON        bool   `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (runsListCmd) Help() string {
	states := "States:\n\n"
	for _, kind := range []string{store.RunKindReview, store.RunKindDryRun, store.RunKindTriage, store.RunKindFix, store.RunKindCI} {
		states += "    " + kind + ": " + strings.Join(statesOf(kind), ", ") + "\n"
	}
	return "It reads the database and may run beside a running service.\n\n" + states + `
Examples:

    assay runs list
    assay runs list --repository acme/storefront --pull-request 7
    assay runs list --state failed --json
    assay runs list --kind dry_run
    assay runs list --kind triage --state failed
    assay runs list --kind fix
    assay runs list --kind ci --pull-request 7`
}

// runInfo is the JSON form of a run.
type runInfo struct {
	ID           string     `json:"id"`
	Repository   string     `json:"repository"`
	RepositoryID string     `json:"repositoryId"`
	TenantID     string     `json:"tenantId"`
	PullRequest  int        `json:"pullRequest"`
	HeadSHA      string     `json:"headSha"`
	State        string     `json:"state"`
	Reason       string     `json:"reason,omitempty"`
	Trigger      string     `json:"trigger"`
	AskedBy      *askerInfo `json:"askedBy,omitempty"` // absent if unknown
	SupersededBy string     `json:"supersededBy,omitempty"`
	ModelState   string     `json:"modelState,omitempty"`
	CreatedAt    *time.Time `json:"createdAt"`
	StartedAt    *time.Time `json:"startedAt,omitempty"`
	FinishedAt   *time.Time `json:"finishedAt,omitempty"`
}

// askerInfo names the person who asked for a run, and how.
type askerInfo struct {
	How    string `json:"how"`
	UserID string `json:"userId,omitempty"`
	Name   string `json:"name,omitempty"`
}

func toAsker(a domain.Asker) *askerInfo {
	if a.How == "" {
		return nil
	}
	return &askerInfo{How: string(a.How), UserID: a.UserID, Name: a.Name}
}

func toRunInfo(ctx context.Context, s *store.Store, r store.Run, names map[string]string) (runInfo, error) {
	name, known := names[r.Repository]
	if !known {
		repo, err := s.Repository(ctx, domain.Tenant{ID: r.Tenant}, r.Repository)
		if err != nil {
			return runInfo{}, err
		}
		name = repo.Owner + "/" + repo.Name
		names[r.Repository] = name
	}
	return runInfo{ID: r.ID, Repository: name, RepositoryID: r.Repository, TenantID: r.Tenant, PullRequest: r.Number,
		HeadSHA: r.HeadSHA, State: string(r.State), Reason: r.Reason,
		Trigger: r.TriggerEvent, AskedBy: toAsker(r.Asker), SupersededBy: r.SupersededBy, ModelState: r.ModelState,
		CreatedAt: instant(r.CreatedUS), StartedAt: instant(r.StartedUS), FinishedAt: instant(r.FinishedUS)}, nil
}

// Run implements the command.
func (r *runsListCmd) Run(e *env) error {
	if r.Limit < 1 || r.Limit > maxRows {
		return usageError("--limit must be a number from 1 to %d", maxRows)
	}
	if err := r.checkKind(); err != nil {
		return err
	}
	if r.Repository != "" && strings.Count(r.Repository, "/") != 1 {
		return usageError("--repository must be owner/name")
	}
	if r.PullRequest < 0 {
		return usageError("--pull-request must be a number above 0")
	}
	return e.withStore(func(ctx context.Context, _ config.Config, s *store.Store) error {
		if err := r.checkRepository(ctx, s); err != nil {
			return err
		}
		switch r.Kind {
		case store.RunKindDryRun:
			return r.listDryRuns(ctx, e, s)
		case store.RunKindTriage:
			return r.listTriageRuns(ctx, e, s)
		case store.RunKindFix:
			return r.listFixRuns(ctx, e, s)
		case store.RunKindCI:
			return r.listCIAnalyses(ctx, e, s)
		}
		all, err := s.SearchRuns(ctx, store.OperatorFilter{Repository: r.Repository, State: domain.RunState(r.State),
			Number: r.PullRequest, Limit: r.Limit})
		if err != nil {
			return err
		}
		names, out, rows := map[string]string{}, []runInfo{}, [][]string{}
		for _, row := range all {
			i, err := toRunInfo(ctx, s, row, names)
			if err != nil {
				return err
			}
			out = append(out, i)
			rows = append(rows, []string{i.ID, cell(i.Repository, 40) + "#" + strconv.Itoa(i.PullRequest), domain.ShortCommit(i.HeadSHA),
				i.State, when(i.CreatedAt), took(i), cell(i.Reason, 60)})
		}
		if r.JSON {
			return writeJSON(e.stdout, out)
		}
		if len(rows) == 0 {
			e.say("No review run matches.")
			return nil
		}
		return table(e.stdout, []string{"RUN", "PULL REQUEST", "HEAD", "STATE", "MADE", "TOOK", "REASON"}, rows)
	})
}

// checkKind returns an error if the flags do not suit the kind of runs.
func (r *runsListCmd) checkKind() error {
	states := statesOf(r.Kind)
	switch {
	case r.PullRequest == 0:
	case r.Kind == store.RunKindDryRun:
		return usageError("--pull-request is for --kind review, fix and ci: a dry run looks at several")
	case r.Kind == store.RunKindTriage:
		return usageError("--pull-request is for --kind review, fix and ci")
	}
	if r.State != "" && !slices.Contains(states, r.State) {
		return usageError("--state must be one of %s", strings.Join(states, ", "))
	}
	return nil
}

// statesOf returns the states of a kind of runs.
func statesOf(kind string) []string {
	switch kind {
	case store.RunKindDryRun:
		return words(domain.DryRunStates())
	case store.RunKindTriage:
		return words(domain.TriageStates())
	case store.RunKindFix:
		return words(domain.FixStates())
	case store.RunKindCI:
		return words(domain.CIStates())
	}
	return words(domain.RunStates())
}

// checkRepository returns an error if no tenant has the repository of the flag.
func (r *runsListCmd) checkRepository(ctx context.Context, s *store.Store) error {
	if r.Repository == "" {
		return nil
	}
	tenants, err := s.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, t := range tenants {
		all, err := s.Repositories(ctx, domain.Tenant{ID: t.ID})
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(v store.Repository) bool { return strings.EqualFold(v.Owner+"/"+v.Name, r.Repository) }) {
			return nil
		}
	}
	return errors.New("no tenant has the repository of --repository; the console lists the connected ones, as owner/name")
}

// words returns the values of a list as strings.
func words[T ~string](all []T) (out []string) {
	for _, v := range all {
		out = append(out, string(v))
	}
	return out
}

func took(r runInfo) string {
	if r.StartedAt == nil || r.FinishedAt == nil {
		return "-"
	}
	return r.FinishedAt.Sub(*r.StartedAt).Round(100 * time.Millisecond).String()
}

type runsShowCmd struct {
	ID   string `arg:"" name:"id" help:"Id of the run (run_…, dry_…, tri_…, fix_… or cia_…)."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (runsShowCmd) Help() string {
	return `Examples:

    assay runs show run_01m7yt79dxa0emkr3tg6tz3qvc
    assay runs show run_01m7yt79dxa0emkr3tg6tz3qvc --json
    assay runs show dry_01m7yt79dxa0emkr3tg6tz3qvc
    assay runs show tri_01m7yt79dxa0emkr3tg6tz3qvc
    assay runs show fix_01m7yt79dxa0emkr3tg6tz3qvc
    assay runs show cia_01m7yt79dxa0emkr3tg6tz3qvc`
}

// runDetail is the JSON form of a run with all its details.
type runDetail struct {
	runInfo
	Findings    []domain.Finding `json:"findings"`
	Transitions []transitionInfo `json:"transitions"`
	Usage       []usageInfo      `json:"usage"`
	ToolCalls   []toolCallInfo   `json:"toolCalls"`
	Approval    *approvalInfo    `json:"approval,omitempty"`
	Publication *publicationInfo `json:"publication,omitempty"`
	Jobs        []jobInfo        `json:"jobs"`
}

type transitionInfo struct {
	From  string     `json:"from"`
	To    string     `json:"to"`
	Cause string     `json:"cause,omitempty"`
	At    *time.Time `json:"at"`
}

type usageInfo struct {
	Tier            string   `json:"tier"`
	Model           string   `json:"model"`          // as routed
	AnsweredModels  []string `json:"answeredModels"` // as the answers name it
	Calls           int64    `json:"calls"`
	InputTokens     int64    `json:"inputTokens"`
	CachedTokens    int64    `json:"cachedTokens"`
	OutputTokens    int64    `json:"outputTokens"`
	ReasoningTokens int64    `json:"reasoningTokens"`
	CostMicros      int64    `json:"costMicros"`
	UnpricedCalls   int64    `json:"unpricedCalls"`
	OpenCalls       int64    `json:"openCalls"` // running, or their worker died
	ReservedMicros  int64    `json:"reservedMicros"`
}

// toolCallInfo is a model's request to look at the repository.
type toolCallInfo struct {
	Ordinal    int64      `json:"ordinal"`
	Stage      string     `json:"stage"`
	Tool       string     `json:"tool"`
	Arguments  string     `json:"arguments"`
	Outcome    string     `json:"outcome"`
	Hits       int64      `json:"hits"`
	Bytes      int64      `json:"bytes"`
	DurationUS int64      `json:"durationUs"`
	At         *time.Time `json:"at"`
}

// approvalInfo is an output that waits for a decision, or the decision.
type approvalInfo struct {
	OutputID  string                 `json:"outputId"`
	State     string                 `json:"state"`
	Digest    string                 `json:"digest"`
	WaitsFrom *time.Time             `json:"waitsFrom"`
	ExpiresAt *time.Time             `json:"expiresAt"`
	DecidedAt *time.Time             `json:"decidedAt,omitempty"`
	DecidedBy string                 `json:"decidedBy,omitempty"` // name at that time
	How       string                 `json:"how,omitempty"`
	Note      string                 `json:"note,omitempty"`
	Changes   domain.ApprovalChanges `json:"changes"`
	Published string                 `json:"publishedOutputId,omitempty"` // made from the changes
}

type publicationInfo struct {
	ID     string          `json:"id"`
	Kind   string          `json:"kind"`
	Phase  string          `json:"phase"`
	Review domain.StoredID `json:"review,omitempty"`
	URL    string          `json:"url,omitempty"`
	Reason string          `json:"reason,omitempty"`
}

// Run implements the command.
func (r *runsShowCmd) Run(e *env) error {
	return e.withStore(func(ctx context.Context, _ config.Config, s *store.Store) error {
		kind, _, _ := strings.Cut(r.ID, "_")
		if show, other := map[string]func(context.Context, *env, *store.Store) error{"dry": r.showDryRun, "tri": r.showTriageRun,
			"fix": r.showFixRun, "cia": r.showCIAnalysis}[kind]; other {
			return show(ctx, e, s)
		}
		row, err := s.RunForWork(ctx, r.ID)
		if errs.Is(err, errs.NotFound) {
			return fmt.Errorf("there is no run with this id; `assay runs list` shows the newest")
		}
		if err != nil {
			return err
		}
		d, err := readDetail(ctx, s, row)
		if err != nil {
			return err
		}
		if r.JSON {
			return writeJSON(e.stdout, d)
		}
		return printDetail(e.stdout, d)
	})
}

func readDetail(ctx context.Context, s *store.Store, row store.Run) (d runDetail, err error) {
	t := domain.Tenant{ID: row.Tenant}
	if d.runInfo, err = toRunInfo(ctx, s, row, map[string]string{}); err != nil {
		return d, err
	}
	steps, err := s.Transitions(ctx, t, row.ID)
	if err != nil {
		return d, err
	}
	d.Transitions = toTransitions(steps)
	if d.Findings, err = s.RunFindings(ctx, t, row.ID); err != nil {
		return d, err
	}
	used, err := s.RunUsage(ctx, t, row.ID)
	if err != nil {
		return d, err
	}
	d.Usage = []usageInfo{}
	for _, u := range used {
		d.Usage = append(d.Usage, usageInfo{u.Tier, u.Model, append([]string{}, u.Answered...), u.Calls, u.Input, u.Cached, u.Output,
			u.Reasoning, u.CostMicros, u.Unpriced, u.Open, u.ReservedMicros})
	}
	looked, err := s.ToolCalls(ctx, t, row.ID)
	if err != nil {
		return d, err
	}
	d.ToolCalls = []toolCallInfo{}
	for _, c := range looked {
		d.ToolCalls = append(d.ToolCalls, toolCallInfo{c.Ordinal, c.Stage, c.Tool, c.Arguments, c.Outcome, c.Hits, c.Bytes, c.DurationUS,
			instant(c.AtUS)})
	}
	if d.Jobs, err = jobsOf(ctx, s, row.ID); err != nil {
		return d, err
	}
	a, err := s.ApprovalOfRun(ctx, t, row.ID)
	if err == nil {
		d.Approval = &approvalInfo{OutputID: a.Output, State: string(a.State), Digest: a.Digest, WaitsFrom: instant(a.CreatedUS),
			ExpiresAt: instant(a.ExpiresUS), DecidedAt: instant(a.DecidedUS),
			DecidedBy: a.DecidedName, How: a.How, Note: a.Note, Changes: store.FromJSON[domain.ApprovalChanges](a.Changes), Published: a.Child}
	} else if !errs.Is(err, errs.NotFound) {
		return d, err
	}
	p, err := s.PublicationOf(ctx, t, row.ID)
	if errs.Is(err, errs.NotFound) {
		return d, nil
	}
	d.Publication = &publicationInfo{ID: p.ID, Kind: string(p.Kind), Phase: string(p.Phase), Review: domain.StoredID(p.ReviewID),
		URL: p.URL, Reason: p.Reason}
	return d, err
}
