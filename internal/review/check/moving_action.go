package check

import (
	"bytes"
	"errors"
	"path"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/wording"
)

// isAction reports whether a file describes an action.
func isAction(name string) bool {
	base := strings.ToLower(path.Base(name))
	return base == "action.yml" || base == "action.yaml"
}

// movingBranch matches names of branches, which change with every push.
var movingBranch = regexp.MustCompile(`^(?:refs/heads/.+|main|master|develop|dev|trunk|head|HEAD)$`)

// movingActions finds the actions and reusable workflows that a workflow or an action names by a branch, and those outside actions/ and
// github/ that it names by a tag. unread means that the file is beyond the bounds of parsing.
func movingActions(content []byte) (out []fault, unread bool) {
	defer func() { // the parser reads bytes from outside, and its panic must not end the review
		if recover() != nil {
			out, unread = nil, true
		}
	}()
	file, err := ParseYAML(bytes.TrimPrefix(content, []byte("\ufeff")))
	if err != nil {
		return nil, errors.Is(err, ErrYAMLBound) || errors.Is(err, errYAMLPanic)
	}
	type place struct {
		line  int
		about string
	}
	seen := map[place]bool{}
	for _, doc := range file.Docs {
		r := newYAMLReader(doc.Body)
		uses := func(owner yamlNode) {
			for _, p := range r.pairs(owner) {
				if p.key != "uses" {
					continue
				}
				lines := r.lines(p.value)
				d, ok := movingAction(r.scalar(p.value))
				if at := (place{lines[len(lines)-1], d.about}); ok && !seen[at] {
					seen[at] = true
					d.line, d.lines = lines[0], lines
					out = append(out, d)
				}
			}
		}
		jobs := func(job yamlNode) {
			uses(job)
			for _, p := range r.pairs(job) {
				if p.key == "steps" {
					for _, step := range r.items(p.value) {
						uses(step)
					}
				}
			}
		}
		for _, p := range r.pairs(yamlNode{n: doc.Body}) {
			switch p.key {
			case "runs":
				jobs(p.value)
			case "jobs":
				for _, job := range r.pairs(p.value) {
					jobs(job.value)
				}
			}
		}
		if r.steps > maxYAMLSteps {
			return nil, true
		}
	}
	return out, false
}

// movingAction judges the value of "uses".
func movingAction(uses string) (d fault, ok bool) {
	name, ref, tagged := strings.Cut(clip.Line(uses), "@")
	owner, _, repository := strings.Cut(name, "/")
	if !tagged || !repository || owner == "." || owner == ".." || strings.Contains(uses, "://") || strings.Contains(uses, "${{") ||
		ref == "" || commitID.MatchString(ref) {
		return fault{}, false
	}
	branch := movingBranch.MatchString(ref)
	if owner = strings.ToLower(owner); (owner == "actions" || owner == "github") && !branch {
		return fault{}, false
	}
	d = fault{rule: "assay/ci-moving-action", category: domain.CategorySecurity, severity: domain.Low, about: "tag\x00" + name,
		title: wording.English(wording.TitleMovingAction, visible(clip.Runes(name, maxTitleName, "…"))),
		says:  wording.English(wording.SayMovingAction, visible(clip.Runes(name, 80, "…")), visible(clip.Runes(ref, 60, "…")))}
	if branch {
		d.severity, d.about = domain.Medium, "branch\x00"+name
	}
	return d, true
}
