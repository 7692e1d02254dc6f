package gitlab

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/patch"
)

// placing is the position in a request.
type placing struct {
	BaseSHA      string     `json:"base_sha"`
	StartSHA     string     `json:"start_sha"`
	HeadSHA      string     `json:"head_sha"`
	PositionType string     `json:"position_type"`
	OldPath      string     `json:"old_path"`
	NewPath      string     `json:"new_path"`
	OldLine      int        `json:"old_line"`
	NewLine      int        `json:"new_line"`
	LineRange    *lineRange `json:"line_range"`
}

// noLineCode is the host's refusal of a place outside the change, as reported in The-PR-Agent/pr-agent#3131.
var noLineCode = badRequest(`Note {:line_code=>["can't be blank", "must be a valid line code"]}`)

// place checks a position against the change between its commits; nil means a note of the conversation. It
// takes Server.Mu itself.
func (c *call) place(m *mergeRequest, in *placing) (*position, *reply) {
	if in == nil {
		return nil, nil
	}
	out := &position{Base: in.BaseSHA, Start: in.StartSHA, Head: in.HeadSHA, Type: in.PositionType,
		OldPath: host.OrElse(in.OldPath, in.NewPath),
		NewPath: host.OrElse(in.NewPath, in.OldPath), OldLine: in.OldLine, NewLine: in.NewLine, Range: in.LineRange}
	if out.Type != "text" && out.Type != "file" {
		return nil, missing("position[position_type] does not have a valid value")
	}
	c.s.Mu.Lock()
	known := slices.ContainsFunc(m.Versions, func(v *version) bool { return v.Base == out.Base && v.Start == out.Start && v.Head == out.Head })
	strict := c.s.On(simapi.OutsideDiff)
	c.s.Mu.Unlock()
	if !known {
		return nil, badRequest(`Note {:position=>["is incomplete"]}`)
	}
	d, err := c.project.git.Diff(c.Ctx, out.Base, out.Head)
	if err != nil {
		return nil, c.broken(err)
	}
	f := d.Find(out.NewPath)
	if f == nil || host.OrElse(f.OldPath, f.Path) != out.OldPath {
		return nil, noLineCode
	}
	if out.Type == "file" {
		return out, nil
	}
	if !c.stands(f, out, out.OldLine, out.NewLine, strict) {
		return nil, noLineCode
	}
	out.Code = lineCode(f.Path, f.Hunks, out.OldLine, out.NewLine)
	if r := out.Range; r != nil { // the host does not check the codes of ranges, but its page marks no line with a wrong code
		for _, end := range []rangeEnd{r.Start, r.End} {
			if end.LineCode != lineCode(f.Path, f.Hunks, end.OldLine, end.NewLine) || !c.stands(f, out, end.OldLine, end.NewLine, strict) {
				return nil, noLineCode
			}
		}
	}
	return out, nil
}

// draftPlace is [call.place] for a draft. The host saves a draft with an invalid place like any other, because
// drafts have no line code to validate (app/models/draft_note.rb of gitlab-org/gitlab). Publishing it makes no
// note; nowhere reports such a place.
func (c *call) draftPlace(m *mergeRequest, in *placing) (at *position, nowhere bool, bad *reply) {
	at, bad = c.place(m, in)
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if bad == nil || in.PositionType != "text" && in.PositionType != "file" || c.s.On(simapi.StrictDrafts) {
		return at, false, bad
	}
	return &position{Base: in.BaseSHA, Start: in.StartSHA, Head: in.HeadSHA, Type: in.PositionType,
		OldPath: host.OrElse(in.OldPath, in.NewPath),
		NewPath: host.OrElse(in.NewPath, in.OldPath), OldLine: in.OldLine, NewLine: in.NewLine, Range: in.LineRange}, true, nil
}

// stands reports whether a line is in the change. An added line has a new number only, a removed one an old
// number only, and an unchanged one both, which must belong together.
func (c *call) stands(f *gitrepo.File, at *position, old, now int, strict bool) bool {
	switch {
	case old == 0 && now == 0, old < 0, now < 0:
		return false
	case old == 0:
		h, i, shown := patch.Find(f.Hunks, patch.Right, now)
		return shown && f.Hunks[h].Lines[i].Kind == '+'
	case now == 0:
		h, i, shown := patch.Find(f.Hunks, patch.Left, old)
		return shown && f.Hunks[h].Lines[i].Kind == '-'
	}
	if h, i, shown := patch.Find(f.Hunks, patch.Right, now); shown {
		return f.Hunks[h].Lines[i].Old == old
	}
	e, err := c.project.git.Entry(c.Ctx, at.Head, at.NewPath)
	if strict || err != nil || oldLine(f.Hunks, now) != old {
		return false
	}
	data, err := c.project.git.Blob(c.Ctx, e.SHA)
	return err == nil && now <= lines(data)
}

// lines counts the lines of a file.
func lines(data []byte) int {
	n := 0
	for _, b := range data {
		if b == '\n' {
			n++
		}
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

// show renders a position.
func (at *position) show() any {
	if at == nil {
		return nil
	}
	number := func(n int) any {
		if n == 0 {
			return nil
		}
		return n
	}
	o := obj{"base_sha": at.Base, "start_sha": at.Start, "head_sha": at.Head, "position_type": at.Type, "old_path": at.OldPath,
		"new_path": at.NewPath,
		"old_line": number(at.OldLine), "new_line": number(at.NewLine), "line_range": nil}
	if at.Range != nil {
		end := func(e rangeEnd) obj {
			return obj{"line_code": e.LineCode, "type": e.Type, "old_line": number(e.OldLine), "new_line": number(e.NewLine)}
		}
		o["line_range"] = obj{"start": end(at.Range.Start), "end": end(at.Range.End)}
	}
	return o
}

// lineCode returns the name of a line of a change: the SHA-1 of its path and two numbers
// (docs.gitlab.com/api/discussions, "Line code"). The numbers are not those of the line. They count from the
// hunk's header on: the old one by removed and unchanged lines, the new one by added and unchanged lines
// (lib/gitlab/diff/parser.rb and line_code of lib/gitlab/diff/file.rb of gitlab-org/gitlab).
func lineCode(path string, hunks []patch.Hunk, old, now int) string {
	a, b := old, now
	for _, h := range hunks {
		x, y := h.OldStart, h.NewStart
		for _, l := range h.Lines {
			if l.Old == old && l.New == now {
				a, b = x, y
			}
			if l.Kind != '+' {
				x++
			}
			if l.Kind != '-' {
				y++
			}
		}
	}
	sum := sha1.Sum([]byte(path))
	return fmt.Sprintf("%s_%d_%d", hex.EncodeToString(sum[:]), a, b)
}
