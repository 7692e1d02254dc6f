package check

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// allScopes is the scope of permissions: write-all.
const allScopes = "*"

// grant is one write permission of the workflow (job "") or of a job.
type grant struct {
	job, scope string
	lines      []int // lines that give it: the value, and the aliases that lead to it
}

// covers reports whether o adds nothing to g: g has the same scope or all scopes, for the same job or the
// whole workflow.
func (g grant) covers(o grant) bool {
	return (g.scope == o.scope || g.scope == allScopes) && (g.job == o.job || g.job == "")
}

// workflowFacts holds the parts of a workflow that the checks need. Lines are 1-based.
type workflowFacts struct {
	grants    []grant
	blocks    map[string]int // job, "" for the workflow, to the line of its permissions
	jobs      []string
	trigger   []int // lines of pull_request_target or workflow_run, with the aliases that lead there; nil if absent
	checkouts []checkout
	known     map[checkedOut]bool // of checkouts
}

// checkout is a step that checks out the pull request's head.
type checkout struct {
	checkedOut
	lines []int // of the reference, with the aliases that lead there
}

// checkedOut is what a job checks out: a reference or the commands that name it, and a repository. A job has it once, because aliases
// can repeat a long text many times.
type checkedOut struct{ job, ref, repository string }

// readWorkflow reads a workflow as data. A text that is not YAML yields no facts, because the host does not
// run it either. unread means that the text is beyond the bounds of parsing and nothing is known about it.
func readWorkflow(content []byte) (w workflowFacts, unread bool) {
	defer func() { // the parser reads bytes from outside, and its panic must not end the review
		if recover() != nil {
			w, unread = workflowFacts{}, true
		}
	}()
	file, err := ParseYAML(bytes.TrimPrefix(content, []byte("\ufeff"))) // hosts ignore a byte order mark
	if err != nil {
		return workflowFacts{}, errors.Is(err, ErrYAMLBound) || errors.Is(err, errYAMLPanic)
	}
	w.blocks, w.known = map[string]int{}, map[checkedOut]bool{}
	for _, doc := range file.Docs {
		r := newYAMLReader(doc.Body)
		for _, p := range r.pairs(yamlNode{n: doc.Body}) {
			switch p.key {
			case "on", "true": // YAML 1.1 reads the key on as true
				w.readTriggers(r, p.value)
			case "permissions":
				w.readPermissions(r, "", p)
			case "jobs":
				for _, job := range r.pairs(p.value) {
					w.jobs = append(w.jobs, job.key)
					w.readJob(r, job)
				}
			}
		}
		if r.steps > maxYAMLSteps {
			return workflowFacts{}, true
		}
	}
	return w, false
}

func (w *workflowFacts) readJob(r *yamlReader, job yamlPair) {
	for _, p := range r.pairs(job.value) {
		switch p.key {
		case "permissions":
			w.readPermissions(r, job.key, p)
		case "steps":
			w.readSteps(r, job.key, p.value)
		}
	}
}

func privileged(event string) bool { return event == "pull_request_target" || event == "workflow_run" }

func (w *workflowFacts) readTriggers(r *yamlReader, y yamlNode) {
	for _, i := range append(r.items(y), y) {
		if privileged(r.scalar(i)) {
			w.trigger = r.lines(i)
		}
	}
	for _, p := range r.pairs(y) {
		if privileged(p.key) {
			w.trigger = append([]int{p.line}, p.value.via...)
		}
	}
}

func (w *workflowFacts) readPermissions(r *yamlReader, job string, p yamlPair) {
	if _, null := r.at(p.value).n.(*ast.NullNode); null {
		return
	}
	w.blocks[job] = p.line
	if r.scalar(p.value) == "write-all" {
		w.grants = append(w.grants, grant{job, allScopes, r.lines(p.value)})
	}
	for _, scope := range r.pairs(p.value) {
		if r.scalar(scope.value) == "write" {
			w.grants = append(w.grants, grant{job, scope.key, r.lines(scope.value)})
		}
	}
}

func (w *workflowFacts) readSteps(r *yamlReader, job string, y yamlNode) {
	for _, step := range r.items(y) {
		checksOut, found := false, checkout{checkedOut: checkedOut{job: job}}
		for _, p := range r.pairs(step) {
			switch p.key {
			case "uses":
				checksOut = strings.HasPrefix(strings.ToLower(r.scalar(p.value)), "actions/checkout@")
			case "with":
				for _, with := range r.pairs(p.value) {
					text := r.scalar(with.value)
					if (with.key != "ref" && with.key != "repository") || !headReference(text) {
						continue
					}
					if found.lines = append(found.lines, r.lines(with.value)...); with.key == "ref" {
						found.ref = text
					} else {
						found.repository = text
					}
				}
			case "run":
				if text := r.scalar(p.value); strings.Contains(text, "gh pr checkout") ||
					(strings.Contains(text, "git ") && (strings.Contains(text, "fetch") || strings.Contains(text, "checkout")) && headReference(text)) {
					checksOut, found.ref, found.lines = true, text, r.lines(p.value)
				}
			}
		}
		if checksOut && found.lines != nil && !w.known[found.checkedOut] {
			w.known[found.checkedOut] = true
			w.checkouts = append(w.checkouts, found)
		}
	}
}

func headReference(s string) bool {
	s = strings.ToLower(strings.Join(strings.Fields(s), ""))
	for _, part := range []string{"pull_request.head.", "github.head_ref", "refs/pull/", "workflow_run.head_", "merge_commit_sha"} {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// unrestricted returns the jobs whose token nothing restricts any more, with the lines of the older version that restricted it.
// Permission to write everything does not count as a restriction.
func (w workflowFacts) unrestricted(before workflowFacts) []grant {
	if _, still := w.blocks[""]; still {
		return nil
	}
	restricted := func(job string) bool {
		_, had := before.blocks[job]
		return had && !slices.ContainsFunc(before.grants, func(g grant) bool { return g.job == job && g.scope == allScopes })
	}
	var out []grant
	for _, job := range w.jobs {
		if _, own := w.blocks[job]; own {
			continue
		}
		if _, had := before.blocks[job]; had && restricted(job) {
			out = append(out, grant{job, allScopes, []int{before.blocks[job]}})
		} else if !had && restricted("") {
			out = append(out, grant{job, allScopes, []int{before.blocks[""]}})
		}
	}
	return out
}

// inherited returns the write permissions that jobs now get from the workflow because their own permissions
// are gone.
func (w workflowFacts) inherited(before workflowFacts) (out []grant) {
	for _, job := range w.jobs {
		line, had := before.blocks[job]
		_, own := w.blocks[job]
		if !had || own {
			continue
		}
		for _, g := range w.grants {
			covered := func(o grant) bool { return o.job == job && (o.scope == g.scope || o.scope == allScopes) }
			if g.job == "" && !slices.ContainsFunc(before.grants, covered) {
				out = append(out, grant{job, g.scope, []int{line}})
			}
		}
	}
	return out
}
