package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"strconv"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/local"
	"github.com/assay-dev/assay/internal/review/report"
	"github.com/assay-dev/assay/internal/secret"
)

// The contract of ReviewBench for agents: its mount, and the size limit for its files
// (review-bench/ReviewBench, AGENT_CONTRACT.md).
const (
	benchRepo = "/work/repo"
	maxBench  = 64 << 20 // bytes of diff.patch and of pr.json
)

var (
	commitID     = regexp.MustCompile(`^[0-9a-f]{40}$`)
	ownerAndName = regexp.MustCompile(`^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$`)
)

// bench reviews the pull request that the variables name and writes the contract's output. It returns an error
// after any failure and for an incomplete review, so that the benchmark tries again.
func (r *reviewCmd) bench(ctx context.Context, e *env) error {
	pr, out, agent, err := benchCase(e)
	if err != nil {
		return err
	}
	r.benchModel(e)
	if err := r.check(e); err != nil {
		return err
	}
	models, err := r.models(e)
	if err != nil {
		return err
	}
	text, err := benchText(e.variable("RB_PR_JSON"))
	if err != nil {
		return err
	}
	dir := "."
	if _, err := os.Stat(benchRepo); err == nil {
		dir = benchRepo
	}
	e.say("model=%s kind=%s effort=%s", printable(cmp.Or(r.Model, "none: only deterministic checks")), r.ModelKind, r.ModelEffort)
	got, err := local.Run(ctx, local.Options{Dir: dir, Environ: e.vars, TrustOwner: r.TrustOwner, Range: pr.Base + ".." + pr.Head,
		Models: models, PullRequest: text, Version: version})
	if err != nil {
		return err
	}
	stats, state := got.Result.Stats, got.Result.ModelState
	// a retry may help, unless the change is too large
	if models != nil && (state == engine.ModelUnavailable || stats.ChunksDone < stats.Chunks) {
		return fmt.Errorf("the review is not complete: %s", got.Result.ModelNote)
	}
	raw, err := bounded(e.variable("RB_DIFF"))
	if err != nil {
		return fmt.Errorf("RB_DIFF: %w", err)
	}
	set, _ := diff.Parse(raw) // only for the places of removed lines
	var b bytes.Buffer
	if err := report.ReviewBench(&b, got, pr, agent, set); err != nil {
		return fmt.Errorf("write the findings: %w", err)
	}
	return os.WriteFile(out, b.Bytes(), 0o644) //nolint:gosec // the benchmark reads it
}

// benchCase reads the variables of the contract.
func benchCase(e *env) (pr report.Bench, out, agent string, err error) {
	pr = report.Bench{Repo: "https://github.com/" + e.variable("RB_NWO"), Base: e.variable("RB_BASE"), Head: e.variable("RB_HEAD")}
	pr.Number, err = strconv.Atoi(e.variable("RB_PR_NUMBER"))
	out, agent = e.variable("RB_OUT"), e.variable("RB_AGENT")
	switch {
	case !ownerAndName.MatchString(e.variable("RB_NWO")):
		return pr, "", "", errors.New("RB_NWO must name the repository, as owner/repo")
	case err != nil || pr.Number < 1:
		return pr, "", "", errors.New("RB_PR_NUMBER must be the number of the pull request")
	case !commitID.MatchString(pr.Base):
		return pr, "", "", errors.New("RB_BASE must be the id of a commit, 40 characters")
	case !commitID.MatchString(pr.Head):
		return pr, "", "", errors.New("RB_HEAD must be the id of a commit, 40 characters")
	case out == "":
		return pr, "", "", errors.New("RB_OUT must name the file to write")
	case agent == "":
		agent = "assay"
	}
	return pr, out, agent, nil
}

// benchModel takes the model from the contract's variables if they name one.
func (r *reviewCmd) benchModel(e *env) {
	for name, into := range map[string]*string{"RB_MODEL_BASE_URL": &r.ModelURL, "RB_CONFIG_MODEL": &r.Model,
		"RB_CONFIG_MODEL_KIND": &r.ModelKind,
		"RB_CONFIG_MODEL_FAST": &r.ModelFast, "RB_CONFIG_MODEL_STRONG": &r.ModelStrong, "RB_CONFIG_EFFORT": &r.ModelEffort} {
		if v := e.variable(name); v != "" {
			*into = v
		}
	}
	if r.ModelKind == catalog.Anthropic { // its address has no version
		if u, err := url.Parse(r.ModelURL); err == nil && u.Path == "/v1" {
			r.ModelURL = u.Scheme + "://" + u.Host
		}
	}
	r.proxy = secret.New(e.variable("HTTPS_PROXY"))
}

// benchText reads title and description of the pull request.
func benchText(path string) (engine.PullRequest, error) {
	var pr struct {
		Number      int    `json:"pr_number"`
		Title, Body string // body may be null
	}
	raw, err := bounded(path)
	if err == nil && len(raw) > 0 {
		err = json.Unmarshal(raw, &pr)
	}
	if err != nil {
		return engine.PullRequest{}, fmt.Errorf("RB_PR_JSON: %w", err)
	}
	return engine.PullRequest{Number: pr.Number, Title: pr.Title, Body: pr.Body}, nil
}

// bounded reads a file of the contract within its size limit; nil if path is "".
func bounded(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path) //nolint:gosec // named by who calls
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	raw, err := io.ReadAll(io.LimitReader(f, maxBench+1))
	if err == nil && len(raw) > maxBench {
		err = fmt.Errorf("%s has more than %d bytes", path, maxBench)
	}
	return raw, err
}
