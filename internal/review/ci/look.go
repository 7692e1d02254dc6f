package ci

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

const (
	maxName  = 200 // bytes of a job's name (design choice)
	maxKey   = 400 // bytes of the key of a job (design choice)
	maxFacts = 20  // facts of a job (design choice)
	maxLeft  = 20  // names of jobs that are not analysed (design choice)
)

// Look is the job that looks at the jobs of a pull request's head. It adds an analysis for each failed one within the bounds, marks
// those that have passed since, and has the comment kept.
func (s *Service) Look(ctx context.Context, c *jobs.Claim) error {
	row, err := s.pull(ctx, c)
	if err != nil || row.ID == "" {
		return err
	}
	c.Stage("jobs", maxLookTime)
	at, why, err := s.open(ctx, row)
	if err != nil {
		return jobs.Waiting(err)
	}
	if why != "" || at.ci == nil || at.pull.HeadSHA != row.HeadSHA { // the event of the newer head leads to another look
		return c.FinishUnasked(ctx)
	}
	seen, err := s.lookAt(ctx, at)
	if codehost.IsAccessLost(err) {
		return c.FinishUnasked(ctx)
	}
	if err != nil {
		return jobs.Waiting(err)
	}
	if err := s.record(ctx, row, seen); err != nil {
		return err
	}
	return c.FinishUnasked(ctx)
}

// headJobs are the ended jobs of a head.
type headJobs struct {
	failed []codehost.CIFailure
	passed []string // keys
	shared shared
	green  bool     // every result is known, and none is open or a failure
	left   []string // sentences of [wording.JobNotes] about jobs that are not analysed
}

// lookAt reads the jobs of the head.
func (s *Service) lookAt(ctx context.Context, at place) (seen headJobs, err error) {
	all, err := at.ci.Results(ctx, at.repo, at.pull.HeadSHA)
	if err != nil {
		return seen, err
	}
	if !all.Whole {
		seen.left = append(seen.left, wording.English(wording.JobsUnread))
	}
	if seen.failed, err = s.required(ctx, at, all.Failed, &seen); err != nil {
		return seen, err
	}
	all.Failed = seen.failed
	seen.green = all.Green()
	seen.shared = sharedNames(all.Jobs)
	for _, j := range all.Jobs {
		if j.Conclusion == "success" {
			seen.passed = append(seen.passed, jobKey(seen.shared.source("job", j.Workflow, j.Name, j.Definition), j.Workflow, j.Name))
		}
	}
	return seen, nil
}

// required narrows failures to those that the host requires for a merge, if the policy says so and the host tells.
func (s *Service) required(ctx context.Context, at place, list []codehost.CIFailure, seen *headJobs) ([]codehost.CIFailure, error) {
	if at.policy.CIAnalysis != domain.CIRequired {
		return list, nil
	}
	checks, known, err := codehost.RequiredChecksOf(ctx, at.host, at.repo, at.pull.BaseRef)
	if err != nil {
		return nil, err
	}
	if !known {
		seen.left = append(seen.left, wording.English(wording.JobsNotTold))
		return list, nil
	}
	if checks.All {
		return list, nil
	}
	return slices.DeleteFunc(slices.Clone(list), func(f codehost.CIFailure) bool {
		return !slices.ContainsFunc(checks.Names, func(n string) bool { return requires(n, f) })
	}), nil
}

// requires reports whether the name of a required check means a failure. Gitea and Forgejo name the status of a job
// "workflow / job (event)" (services/actions/commit_status.go), and their API of jobs does not tell the workflow's name.
func requires(name string, f codehost.CIFailure) bool {
	if name == f.Name || name == f.Workflow+" / "+f.Name {
		return true
	}
	at := strings.LastIndex(name, " (")
	return f.Job != "" && at >= 0 && strings.HasSuffix(name[:at], " / "+f.Name)
}

// pageOf returns the address of a failure's page, or "" if it is unusable. Parameters that may grant access are removed with all others.
func (s *Service) pageOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || len(address) > 2000 || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	if signed.MatchString(u.RawQuery + "#" + u.Fragment) {
		u.RawQuery, u.Fragment, u.RawFragment = "", "", ""
	}
	if address = u.String(); s.Scan(address) != address {
		return ""
	}
	return address
}

// signed finds names of parameters that grant access, like those of signed addresses of object stores.
var signed = regexp.MustCompile(`(?i)(sig|signature|token|key|secret|auth|credential|password|passwd|pwd|jwt|code)(\[[^=&]*)?=`)

// jobKey identifies a job of a repository over commits and attempts. It has at most [maxKey] bytes.
func jobKey(source, workflow, name string) string {
	key := source + "/" + inKey.Replace(workflow) + "/" + name
	if len(key) <= maxKey {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return clip.Bytes(key, maxKey-1-2*len(sum)) + " " + hex.EncodeToString(sum[:])
}

// shared has the workflow and name of jobs that several workflows of one name have, or one workflow that several events started.
type shared map[[2]string]bool

// sharedNames returns the shared names of the jobs of a commit.
func sharedNames(list []codehost.Job) shared {
	definitions, out := map[[2]string]string{}, shared{}
	for _, j := range list {
		name := [2]string{j.Workflow, j.Name}
		if d, seen := definitions[name]; seen && d != j.Definition {
			out[name] = true
		}
		definitions[name] = j.Definition
	}
	return out
}

// source returns the source of a job in its key. A shared name needs the definition to identify the job.
func (s shared) source(source, workflow, name, definition string) string {
	if definition == "" || !s[[2]string{workflow, name}] {
		return source
	}
	return source + "@" + inKey.Replace(definition)
}

// inKey escapes the separator of a key, which names of workflows can have.
var inKey = strings.NewReplacer("%", "%25", "/", "%2F")

// record stores what was seen, with the jobs that follow, in one transaction.
func (s *Service) record(ctx context.Context, row store.PullRequest, seen headJobs) error {
	t := domain.Tenant{ID: row.Tenant}
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		now, err := s.Store.PullRequestForUpdate(ctx, t, row.ID)
		if err != nil || now.HeadSHA != row.HeadSHA {
			return err
		}
		failing, left := map[string]bool{}, slices.Clone(seen.left)
		var failed []store.CIAnalysis
		attempts := map[string][]string{} // the host's ids of failed jobs by key
		for _, f := range seen.failed {
			v := s.analysisOf(row, f, seen.shared)
			attempts[v.Key] = append(attempts[v.Key], v.HostJob)
			if !failing[v.Key] { // jobs of a matrix can have one name
				failed = append(failed, v)
			}
			failing[v.Key] = true
		}
		beyond, repeated := 0, 0
		for _, v := range failed {
			added, again, err := s.add(ctx, t, v, attempts[v.Key])
			switch {
			case err != nil:
				return err
			case added == store.AddedOverLimit && again:
				repeated++
			case added == store.AddedOverLimit:
				if beyond++; beyond <= maxLeft {
					left = append(left, v.Job)
				}
			}
		}
		if repeated > 0 {
			left = append(left, wording.English(wording.JobsRepeated, repeated, domain.MaxCIRepeats))
		}
		if namesakes := len(seen.failed) - len(failed); namesakes > 0 {
			left = append(left, wording.English(wording.JobsNamesake, namesakes))
		}
		if beyond > 0 {
			left = append(left, wording.English(wording.JobsOver, beyond, domain.MaxCIPerHead, domain.MaxCIPerHour))
		}
		passed := slices.DeleteFunc(seen.passed, func(k string) bool { return failing[k] })
		if _, err := s.Store.MarkCIPassed(ctx, t, row.ID, row.HeadSHA, passed); err != nil {
			return err
		}
		return s.wantText(ctx, t, row, left, seen.green)
	})
}

// add stores the analysis of a failed job with its job, or has a known one begin again after the failed job was repeated. again reports
// whether the analysis was known.
func (s *Service) add(ctx context.Context, t domain.Tenant, v store.CIAnalysis, attempts []string) (added store.Added, again bool,
	err error) {
	repeat := 0
	id, added, err := s.Store.AddCIAnalysis(ctx, t, v)
	if err == nil && added == store.AddedKnown {
		again = true
		id, added, repeat, err = s.Store.RepeatCIAnalysis(ctx, t, v, attempts)
	}
	if err != nil || added != store.AddedNew {
		return added, again, err
	}
	key := string(domain.KindCI) + ":" + id
	if again {
		key += ":" + strconv.Itoa(repeat)
	}
	_, err = s.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindCI, FairKey: t.ID, Subject: id, Tenant: t.ID, Dedup: key})
	return added, again, err
}

// wantText stores what the comment must show. A pull request without a failed job gets no comment.
func (s *Service) wantText(ctx context.Context, t domain.Tenant, row store.PullRequest, left []string, green bool) error {
	list, err := s.Store.CIAnalysesOfHead(ctx, t, row.ID, row.HeadSHA)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		if _, err := s.Store.CIComment(ctx, t, row.ID); err != nil || !green {
			return errs.IgnoreAbsent(err)
		}
	}
	err = s.Store.WantCIComment(ctx, t, store.CIComment{Repository: row.Repository, PullRequest: row.ID, HeadSHA: row.HeadSHA,
		Green: green, MarkKey: s.Marker.Key(), LeftOut: jsonList(left)})
	if err != nil {
		return err
	}
	_, err = s.Store.EnqueueAwaited(ctx, t, domain.KindCIComment, row.ID)
	return err
}

// analysisOf returns the new analysis of a failed job.
func (s *Service) analysisOf(row store.PullRequest, f codehost.CIFailure, names shared) store.CIAnalysis {
	source, _, _ := strings.Cut(f.Key, "/")
	inSource := names.source(source, f.Workflow, f.Name, f.Definition)
	v := store.CIAnalysis{Record: store.Record{Repository: row.Repository}, PullRequest: row.ID, Number: row.Number, HeadSHA: row.HeadSHA,
		Job: s.name(f), Key: jobKey(inSource, f.Workflow, f.Name), HostJob: string(f.Job), Source: source, NoLog: noLogWords[f.NoLog],
		Trigger: "failed"}
	v.URL = s.pageOf(f.URL)
	var facts []string
	if f.Description != "" {
		facts = append(facts, clip.Bytes(s.Scan(f.Description), codehost.MaxCIText))
	}
	for _, a := range f.Annotations {
		facts = append(facts, clip.Bytes(s.Scan(fmt.Sprintf("%s:%d: %s: %s", a.Path, a.Line, a.Level, a.Message)), codehost.MaxCIText))
	}
	if more := len(facts) - maxFacts + f.Unread; more > 0 && len(facts) > maxFacts || f.Unread > 0 {
		facts = append(facts[:min(len(facts), maxFacts)], fmt.Sprintf("%d more annotations are not read.", max(more, f.Unread)))
	}
	v.Facts = jsonList(facts)
	return v
}

// name returns the name of a job for people.
func (s *Service) name(f codehost.CIFailure) string {
	name := f.Name
	if f.Workflow != "" && f.Workflow != f.Name {
		name = f.Workflow + " / " + name
	}
	return clip.Bytes(s.Scan(name), maxName)
}

// noLogWords says to people why a failure has no log.
var noLogWords = map[codehost.NoLog]string{
	codehost.NoLogOtherApp: wording.English(wording.JobLogOtherApp),
	codehost.NoLogStatus:   wording.English(wording.JobLogStatus),
	codehost.NoLogHost:     wording.English(wording.JobLogHost),
}
