package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/store"
)

type jobsCmd struct {
	List    jobsListCmd    `cmd:"" help:"List the backlog of every lane, or dead letters."`
	Show    jobsShowCmd    `cmd:"" help:"Show one job."`
	Redrive jobsRedriveCmd `cmd:"" help:"Run jobs that were given up once more."`
	Discard jobsDiscardCmd `cmd:"" help:"Drop jobs that were given up, with a reason."`
}

// jobInfo is the JSON form of a job.
type jobInfo struct {
	ID           string     `json:"id"`
	Kind         string     `json:"kind"`
	Lane         string     `json:"lane"`
	Subject      string     `json:"subject"`
	TenantID     string     `json:"tenantId,omitempty"`
	State        string     `json:"state"`
	Attempts     int64      `json:"attempts"`
	Crashes      int64      `json:"crashes"`
	Generation   int64      `json:"generation"`
	Worker       string     `json:"worker,omitempty"`
	LastStage    string     `json:"lastStage,omitempty"`
	LastError    string     `json:"lastError,omitempty"`
	CreatedAt    *time.Time `json:"createdAt"`
	DueAt        *time.Time `json:"dueAt"`
	LeaseUntil   *time.Time `json:"leaseUntil,omitempty"`
	DispatchedAt *time.Time `json:"dispatchedAt,omitempty"`
	FinishedAt   *time.Time `json:"finishedAt,omitempty"`
}

func toJobInfo(j store.Job) jobInfo {
	return jobInfo{ID: j.ID, Kind: string(j.Kind), Lane: string(j.Lane), Subject: j.Subject, TenantID: j.Tenant,
		State: string(j.State), Attempts: j.Attempts, Crashes: j.CrashAttempts,
		Generation: j.Gen, Worker: j.ClaimedBy, LastStage: j.LastStage, LastError: j.LastError, CreatedAt: instant(j.CreatedUS),
		DueAt:      instant(j.RunUS),
		LeaseUntil: instant(j.LeaseUS), DispatchedAt: instant(j.DispatchedUS), FinishedAt: instant(j.FinishedUS)}
}

func printJobs(w io.Writer, list []jobInfo) error {
	var rows [][]string
	for _, j := range list {
		rows = append(rows, []string{j.ID, j.Kind, j.State, cell(j.Subject, 40), strconv.FormatInt(j.Attempts, 10) + "/" +
			strconv.FormatInt(j.Crashes, 10), when(j.CreatedAt), cell(j.LastError, 70)})
	}
	return table(w, []string{"JOB", "KIND", "STATE", "SUBJECT", "FAILED/CRASHED", "MADE", "LAST ERROR"}, rows)
}

type jobsListCmd struct {
	Dead  bool `help:"List dead letters: jobs that failed or crashed too often."`
	Limit int  `default:"50" help:"Most jobs to list."`
	JSON  bool `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (jobsListCmd) Help() string {
	return `Examples:

    assay jobs list
    assay jobs list --dead
    assay jobs list --dead --json`
}

// laneInfo is the JSON form of a lane.
type laneInfo struct {
	Lane      string  `json:"lane"`
	Queued    int64   `json:"queued"`
	Running   int64   `json:"running"`
	Dead      int64   `json:"dead"`
	OldestDue float64 `json:"oldestDueSeconds"`
}

// Run implements the command.
func (j *jobsListCmd) Run(e *env) error {
	if j.Limit < 1 || j.Limit > maxRows {
		return usageError("--limit must be a number from 1 to %d", maxRows)
	}
	return e.withStore(func(ctx context.Context, _ config.Config, s *store.Store) error {
		if j.Dead {
			return j.dead(ctx, e, s)
		}
		lanes, err := s.LaneStates(ctx)
		if err != nil {
			return err
		}
		out, rows := []laneInfo{}, [][]string{}
		for _, l := range lanes {
			age := time.Duration(l.OldestDueUS) * time.Microsecond
			out = append(out, laneInfo{string(l.Lane), l.Queued, l.Running, l.Dead, age.Seconds()})
			rows = append(rows, []string{string(l.Lane), strconv.FormatInt(l.Queued, 10), strconv.FormatInt(l.Running, 10),
				strconv.FormatInt(l.Dead, 10), age.Round(time.Second).String()})
		}
		if j.JSON {
			return writeJSON(e.stdout, out)
		}
		if len(rows) == 0 {
			e.say("No job is waiting, running or given up.")
			return nil
		}
		return table(e.stdout, []string{"LANE", "QUEUED", "RUNNING", "DEAD", "OLDEST DUE"}, rows)
	})
}

// maxRows bounds the rows of a list.
const maxRows = 1000

func (j *jobsListCmd) dead(ctx context.Context, e *env, s *store.Store) error {
	all, err := s.DeadJobs(ctx, store.DeadFilter{Limit: j.Limit})
	if err != nil {
		return err
	}
	out := []jobInfo{}
	for _, row := range all {
		out = append(out, toJobInfo(row))
	}
	if j.JSON {
		return writeJSON(e.stdout, out)
	}
	if len(out) == 0 {
		e.say("No job was given up.")
		return nil
	}
	if err := printJobs(e.stdout, out); err != nil {
		return err
	}
	e.say("`assay jobs show ID` shows one, `assay jobs redrive ID…` runs it again, `assay jobs discard ID… --reason TEXT` drops it.")
	return nil
}

type jobsShowCmd struct {
	ID   string `arg:"" name:"id" help:"Id of the job (job_…)."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (jobsShowCmd) Help() string {
	return `Examples:

    assay jobs show job_01m7yt79dxs426v7q74yh48b11`
}

// Run implements the command.
func (j *jobsShowCmd) Run(e *env) error {
	return e.withStore(func(ctx context.Context, _ config.Config, s *store.Store) error {
		row, err := s.Job(ctx, j.ID)
		if errs.Is(err, errs.NotFound) {
			return fmt.Errorf("there is no job with this id; finished jobs are dropped after two weeks")
		}
		if err != nil {
			return err
		}
		i := toJobInfo(row)
		if j.JSON {
			return writeJSON(e.stdout, i)
		}
		return pairs(e.stdout, [][]string{{"job", i.ID}, {"kind", i.Kind}, {"lane", i.Lane}, {"state", i.State},
			{"subject", cell(i.Subject, 80)}, {"tenant", cell(i.TenantID, 80)},
			{"failed", strconv.FormatInt(i.Attempts, 10)}, {"crashed", strconv.FormatInt(i.Crashes, 10)},
			{"claims", strconv.FormatInt(i.Generation, 10)}, {"worker", cell(i.Worker, 80)},
			{"made", when(i.CreatedAt)}, {"due", when(i.DueAt)}, {"dispatched", when(i.DispatchedAt)}, {"lease until", when(i.LeaseUntil)},
			{"finished", when(i.FinishedAt)},
			{"last stage", cell(i.LastStage, 80)}, {"last error", cell(i.LastError, 500)}})
	})
}

type jobsRedriveCmd struct {
	IDs []string `arg:"" name:"id" help:"Ids of dead jobs."`
}

// Help implements kong.HelpProvider.
func (jobsRedriveCmd) Help() string {
	return `The job starts afresh: its failures and crashes are counted from 0 again. Publishing stays safe, because what
was published is found again by its marker.

Examples:

    assay jobs redrive job_01m7yt79dxs426v7q74yh48b11`
}

// Run implements the command.
func (j *jobsRedriveCmd) Run(e *env) error {
	return e.eachDead(j.IDs, "runs again", instance.DeadLetters.Redrive)
}

type jobsDiscardCmd struct {
	IDs    []string `arg:"" name:"id" help:"Ids of dead jobs."`
	Reason string   `required:"" help:"Why; it is kept with the job."`
}

// Help implements kong.HelpProvider.
func (jobsDiscardCmd) Help() string {
	return `Examples:

    assay jobs discard job_01m7yt79dxs426v7q74yh48b11 --reason "repository was deleted"`
}

// Run implements the command.
func (j *jobsDiscardCmd) Run(e *env) error {
	if j.Reason == "" {
		return usageError("--reason must say why")
	}
	return e.eachDead(j.IDs, "was dropped", func(d instance.DeadLetters, ctx context.Context, id string) error {
		return d.Discard(ctx, id, j.Reason)
	})
}

// eachDead applies act to dead jobs and prints the outcome of each.
func (e *env) eachDead(ids []string, done string, act func(d instance.DeadLetters, ctx context.Context, id string) error) error {
	return e.withAudit(func(ctx context.Context, _ config.Config, s *store.Store, l *audit.Log) error {
		missed := false
		for _, id := range ids {
			err := act(instance.DeadLetters{Store: s, Audit: l}, ctx, id)
			switch {
			case errs.Is(err, errs.NotFound):
				missed = true
				e.say("%s is not a dead job: it does not exist, or it is not given up", printable(id))
			case err != nil:
				return fmt.Errorf("%s: %w", id, err)
			default:
				fmt.Fprintln(e.stdout, printable(id), done)
			}
		}
		if missed {
			return quiet(exitFailed)
		}
		return nil
	})
}
