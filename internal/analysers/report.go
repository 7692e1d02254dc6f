package analysers

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/sandbox"
	"github.com/assay-dev/assay/internal/sarif"
)

// ReadWork is the kind of work of a child process that reads a report; see [Serve].
const ReadWork = "analyser-report"

// readLimits bound the child that reads one report.
var readLimits = sandbox.Limits{Memory: 1 << 30, CPU: time.Minute, Wall: time.Minute, Output: 128 << 20}

// reportRequest is the message to the child, and reportAnswer its answer.
type (
	reportRequest struct {
		Format Format
		Raw    []byte
	}
	reportAnswer struct {
		Document sarif.Document
		Error    string
	}
)

// errReport reports that a report cannot be read.
var errReport = errors.New("the report cannot be read")

// read reads a report in a child process, because files of the change have shaped it.
func (r *Runner) read(ctx context.Context, format Format, raw []byte) (sarif.Document, error) {
	child, err := r.Launcher.Start(ctx, ReadWork, readLimits)
	if err != nil {
		return sarif.Document{}, err
	}
	defer child.Close()
	var answer reportAnswer
	if err := child.Within(ctx, func(c *sandbox.Conn) error {
		if err := c.Send(reportRequest{Format: format, Raw: raw}); err != nil {
			return err
		}
		return c.Receive(&answer)
	}); err != nil {
		return sarif.Document{}, err
	}
	if answer.Error != "" {
		return sarif.Document{}, fmt.Errorf("%w: %s", errReport, answer.Error)
	}
	return answer.Document, nil
}

// Serve is the work of a child process: it reads reports.
func Serve(c *sandbox.Conn) error {
	for {
		var q reportRequest
		if err := c.Receive(&q); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		var answer reportAnswer
		doc, err := parse(context.Background(), q.Format, q.Raw)
		if err != nil {
			answer.Error = err.Error()
		} else {
			answer.Document = doc
		}
		if err := c.Send(answer); err != nil {
			return err
		}
	}
}

// parse reads a report.
func parse(ctx context.Context, format Format, raw []byte) (sarif.Document, error) {
	switch format {
	case FormatJSON:
		return fromJSON(raw, plainReport{})
	case FormatShellcheck:
		return fromJSON(raw, shellcheckReport{})
	case FormatOxlint:
		return fromJSON(raw, oxlintReport{})
	case FormatMatches:
		return fromMatches(raw)
	}
	return sarif.Read(ctx, bytes.NewReader(raw), sarif.DefaultLimits())
}

// jsonReport is a report in a form of its own.
type jsonReport interface{ run() sarif.Run }

// fromJSON reads a report of type T.
func fromJSON[T jsonReport](raw []byte, report T) (sarif.Document, error) {
	if err := json.Unmarshal(raw, &report); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return sarif.Document{}, fmt.Errorf("byte %d breaks the grammar of JSON", syntax.Offset)
		}
		return sarif.Document{}, errors.New("a value has another type than the format wants")
	}
	run := report.run()
	run.Successful = true
	most := sarif.DefaultLimits().Results
	if n := len(run.Results) - most; n > 0 {
		run.Results, run.CutResults = run.Results[:most], n
	}
	return sarif.Document{Runs: []sarif.Run{run}}, nil
}

// Bounds of the texts of a result in bytes.
const (
	maxMessage = 2000
	maxRuleID  = 200
)

// result returns a result at lines of a file. A path that leaves the folder is marked as outside.
func result(rule, level, message, file string, first, last int) sarif.Result {
	p := path.Clean(file)
	first = max(first, 0)
	return sarif.Result{RuleID: clip.Bytes(rule, maxRuleID), Level: level, Message: clip.Bytes(message, maxMessage),
		Path:    clip.Bytes(p, maxPath),
		Outside: file == "" || p == "." || p == ".." || strings.HasPrefix(p, "../"), StartLine: first, EndLine: max(first, last)}
}

// level returns the level of SARIF for a word of a tool.
func level(word string) string {
	switch word {
	case "error":
		return sarif.LevelError
	case "warning":
		return sarif.LevelWarning
	}
	return sarif.LevelNote
}

// plainReport is the format for programs of the operator.
type plainReport struct {
	Tool    string `json:"tool"`
	Results []struct {
		Rule    string `json:"rule"`
		Level   string `json:"level"`
		Message string `json:"message"`
		Path    string `json:"path"`
		Line    int    `json:"line"`
		EndLine int    `json:"endLine"`
		Help    string `json:"help"`
	} `json:"results"`
}

func (r plainReport) run() sarif.Run {
	out := sarif.Run{Tool: r.Tool, Rules: map[string]sarif.Rule{}}
	for _, v := range r.Results {
		out.Results = append(out.Results, result(v.Rule, level(v.Level), v.Message, v.Path, v.Line, v.EndLine))
		addRule(&out, v.Rule, v.Help)
	}
	return out
}

// addRule adds a rule with the address of its help.
func addRule(run *sarif.Run, id, help string) {
	if _, known := run.Rules[id]; known || len(run.Rules) >= sarif.DefaultLimits().Rules {
		return
	}
	if !strings.HasPrefix(help, "https://") || len(help) > maxMessage {
		help = ""
	}
	id = clip.Bytes(id, maxRuleID)
	run.Rules[id] = sarif.Rule{ID: id, Help: help}
}

// shellcheckReport is format json1 of shellcheck.
type shellcheckReport struct {
	Comments []struct {
		File    string `json:"file"`
		Line    int    `json:"line"`
		EndLine int    `json:"endLine"`
		Level   string `json:"level"`
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"comments"`
}

func (r shellcheckReport) run() sarif.Run {
	out := sarif.Run{Tool: "shellcheck", Rules: map[string]sarif.Rule{}}
	for _, v := range r.Comments {
		id := "SC" + strconv.Itoa(v.Code)
		out.Results = append(out.Results, result(id, level(v.Level), v.Message, v.File, v.Line, v.EndLine))
		addRule(&out, id, "https://www.shellcheck.net/wiki/"+id)
	}
	return out
}

// oxlintReport is the JSON format of oxlint.
type oxlintReport struct {
	Diagnostics []struct {
		Message  string `json:"message"`
		Code     string `json:"code"` // such as eslint(no-debugger); "" for a file that is not valid
		Severity string `json:"severity"`
		URL      string `json:"url"`
		Help     string `json:"help"`
		Filename string `json:"filename"`
		Labels   []struct {
			Span struct {
				Line int `json:"line"`
			} `json:"span"`
		} `json:"labels"`
	} `json:"diagnostics"`
}

func (r oxlintReport) run() sarif.Run {
	out := sarif.Run{Tool: "oxlint", Rules: map[string]sarif.Rule{}}
	for _, v := range r.Diagnostics {
		line := 0
		if len(v.Labels) > 0 {
			line = v.Labels[0].Span.Line
		}
		id := cmp.Or(strings.TrimSuffix(strings.Replace(v.Code, "(", "/", 1), ")"), "syntax")
		message := v.Message
		if v.Help != "" {
			message += " " + v.Help
		}
		out.Results = append(out.Results, result(id, level(v.Severity), message, v.Filename, line, line))
		addRule(&out, id, v.URL)
	}
	return out
}

// belong makes the paths of a document relative to the folder of the files, and drops the results for files that the
// analyser did not get. It returns their number.
func belong(doc *sarif.Document, w *workspace) (foreign int) {
	given := maps.Clone(w.reach)
	if given == nil {
		given = map[string]bool{}
	}
	for _, p := range w.given {
		given[p] = true
	}
	local := func(p string) string { return strings.TrimPrefix(p, w.tree+"/") }
	for i := range doc.Runs {
		run := &doc.Runs[i]
		kept := run.Results[:0]
		for _, v := range run.Results {
			if v.Path = local(v.Path); v.Outside || !given[v.Path] {
				foreign++
				continue
			}
			v.Flow = slices.DeleteFunc(v.Flow, func(s sarif.Step) bool { return !given[local(s.Path)] })
			for j := range v.Flow {
				v.Flow[j].Path = local(v.Flow[j].Path)
			}
			kept = append(kept, v)
		}
		run.Results = kept
	}
	return foreign
}
