package check

import (
	"errors"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// allScopes is the scope of permissions: write-all.
const allScopes = "*"

// grant is one write permission: of the workflow (job "") or of a job.
type grant struct {
	job, scope string
	line       int
}

// covers reports whether having g already makes o nothing new: the same scope or
// everything, at the same job or at the whole workflow.
func (g grant) covers(o grant) bool {
	return (g.scope == o.scope || g.scope == allScopes) && (g.job == o.job || g.job == "")
}

// workflowFacts are what the checks need of a workflow. Lines are 1-based, 0 if absent.
type workflowFacts struct {
	grants   []grant
	trigger  int // of pull_request_target or workflow_run
	checkout int // of a reference to the pull request's head in a checkout step
}

// readWorkflow reads a workflow as data. What is not YAML gives no facts: the
// host does not run it either. unread means that it is beyond what is parsed, and
// that nothing is known of it.
func readWorkflow(content []byte) (w workflowFacts, unread bool) {
	defer func() { // the parser gets bytes from outside; a panic of it must not end the review
		if recover() != nil {
			w, unread = workflowFacts{}, true
		}
	}()
	file, err := parseYAML(content)
	if err != nil {
		return workflowFacts{}, errors.Is(err, errYAMLBound)
	}
	for _, doc := range file.Docs {
		for key, value := range pairs(doc.Body) {
			switch key {
			case "on", "true": // YAML 1.1 reads the key on as true
				w.readTriggers(value)
			case "permissions":
				w.readPermissions("", value)
			case "jobs":
				for job, body := range pairs(value) {
					for k, v := range pairs(body) {
						if k == "permissions" {
							w.readPermissions(job, v)
						}
						if k == "steps" {
							w.readSteps(v)
						}
					}
				}
			}
		}
	}
	return w, false
}

// pairs yields the keys and values of a mapping, nothing for other nodes.
func pairs(n ast.Node) func(yield func(string, ast.Node) bool) {
	return func(yield func(string, ast.Node) bool) {
		switch m := plain(n).(type) {
		case *ast.MappingNode:
			for _, v := range m.Values {
				if !yield(keyText(v), v.Value) {
					return
				}
			}
		case *ast.MappingValueNode:
			yield(keyText(m), m.Value)
		}
	}
}

func keyText(v *ast.MappingValueNode) string { return scalar(v.Key) }

// plain takes anchors and tags off a node.
func plain(n ast.Node) ast.Node {
	for range maxYAMLNesting {
		switch t := n.(type) {
		case *ast.AnchorNode:
			n = t.Value
		case *ast.TagNode:
			n = t.Value
		default:
			return n
		}
	}
	return n
}

// scalar is the text of a scalar, "" for other nodes.
func scalar(n ast.Node) string {
	switch t := plain(n).(type) {
	case *ast.StringNode:
		return t.Value
	case *ast.LiteralNode:
		return t.Value.Value
	case ast.ScalarNode:
		return t.GetToken().Value
	}
	return ""
}

func lineOf(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	return n.GetToken().Position.Line
}

func items(n ast.Node) []ast.Node {
	if s, ok := plain(n).(*ast.SequenceNode); ok {
		return s.Values
	}
	return nil
}

func privileged(event string) bool { return event == "pull_request_target" || event == "workflow_run" }

func (w *workflowFacts) readTriggers(n ast.Node) {
	if privileged(scalar(n)) {
		w.trigger = lineOf(plain(n))
	}
	for _, i := range items(n) {
		if privileged(scalar(i)) {
			w.trigger = lineOf(plain(i))
		}
	}
	switch m := plain(n).(type) {
	case *ast.MappingNode:
		for _, v := range m.Values {
			if privileged(keyText(v)) {
				w.trigger = lineOf(v.Key)
			}
		}
	case *ast.MappingValueNode:
		if privileged(keyText(m)) {
			w.trigger = lineOf(m.Key)
		}
	}
}

func (w *workflowFacts) readPermissions(job string, n ast.Node) {
	if scalar(n) == "write-all" {
		w.grants = append(w.grants, grant{job, allScopes, lineOf(plain(n))})
	}
	for scope, value := range pairs(n) {
		if scalar(value) == "write" {
			w.grants = append(w.grants, grant{job, scope, lineOf(plain(value))})
		}
	}
}

func (w *workflowFacts) readSteps(n ast.Node) {
	for _, step := range items(n) {
		checkout, ref := false, 0
		for k, v := range pairs(step) {
			switch k {
			case "uses":
				checkout = strings.HasPrefix(strings.ToLower(scalar(v)), "actions/checkout@")
			case "with":
				for name, value := range pairs(v) {
					if (name == "ref" || name == "repository") && headReference(scalar(value)) {
						ref = lineOf(plain(value))
					}
				}
			case "run":
				if text := scalar(v); strings.Contains(text, "gh pr checkout") ||
					(strings.Contains(text, "git ") && (strings.Contains(text, "fetch") || strings.Contains(text, "checkout")) && headReference(text)) {
					checkout, ref = true, lineOf(plain(v))
				}
			}
		}
		if checkout && ref > 0 && w.checkout == 0 {
			w.checkout = ref
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
