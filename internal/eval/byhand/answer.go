package byhand

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/regexp"
)

const (
	// maxAnswer is the most bytes of an answer (design choice: about 37,000 tokens, four times the usual limit;
	// with every character escaped it still fits on a line of a cassette).
	maxAnswer = 128 << 10
	// maxToolCalls is the most calls of tools in an answer (design choice, above the bounds of the engine).
	maxToolCalls = 32
	// maxDetail bounds the detail of a refusal in bytes.
	maxDetail = 400
)

// errChanging reports that a file changed while it was read.
var errChanging = errors.New("the file is being written")

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// read reads an answer that was seen as info. Its errors are sentences for the person.
func (f *Folder) read(name string, info fs.FileInfo, r llm.Request) (llm.Response, error) {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return llm.Response{}, errors.New("it is a symbolic link; put a regular file there")
	case !info.Mode().IsRegular():
		return llm.Response{}, errors.New("it is not a regular file; put a regular file there")
	case info.Size() > maxAnswer:
		return llm.Response{}, fmt.Errorf("it has %d bytes, and an answer must have at most %d; shorten it", info.Size(), maxAnswer)
	}
	path := filepath.Join(f.path, name+endAnswer)
	file, err := os.Open(path) //nolint:gosec // in the folder that the person named
	if err != nil {
		return llm.Response{}, fmt.Errorf("it cannot be read: %w", err)
	}
	defer func() { _ = file.Close() }() // only read
	raw, err := io.ReadAll(io.LimitReader(file, maxAnswer+1))
	if err != nil {
		return llm.Response{}, fmt.Errorf("it cannot be read: %w", err)
	}
	if now, err := file.Stat(); err != nil || !same(now, info) || int64(len(raw)) != info.Size() {
		return llm.Response{}, errChanging
	}
	return parse(raw, r)
}

// called are the calls of tools in an answer.
type called struct {
	ToolCalls []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"tool_calls"`
}

// parse reads the text of an answer. Its errors are sentences for the person.
func parse(raw []byte, r llm.Request) (llm.Response, error) {
	var answer any
	text := bytes.TrimSpace(raw)
	switch {
	case len(text) == 0:
		return llm.Response{}, errors.New("it is empty; write the answer there")
	case !utf8.Valid(text):
		return llm.Response{}, errors.New("it is not UTF-8; save it as UTF-8")
	case bytes.HasPrefix(text, []byte("```")):
		return llm.Response{}, errors.New("it begins with a fence of Markdown; write the JSON object alone")
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return llm.Response{}, fmt.Errorf("it is not valid JSON: %s; correct it, or write the rest", detail(err))
	}
	object, ok := answer.(map[string]any)
	if !ok {
		return llm.Response{}, errors.New("it is not a JSON object; write one object by the schema of the request")
	}
	if _, calls := object["tool_calls"]; calls && len(object) == 1 && len(r.Tools) > 0 {
		return parseCalls(text, r)
	}
	if r.Schema != nil {
		if err := fits(r.Schema.JSON, answer); err != nil {
			return llm.Response{}, fmt.Errorf("it does not fit the schema of the request: %s", detail(err))
		}
	}
	return llm.Response{Text: string(text), StopReason: llm.StopEnd}, nil
}

// parseCalls reads an answer that asks for tools.
func parseCalls(text []byte, r llm.Request) (llm.Response, error) {
	var given called
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&given); err != nil {
		return llm.Response{}, fmt.Errorf("tool_calls must be a list of objects with name and arguments: %s", detail(err))
	}
	if n := len(given.ToolCalls); n == 0 || n > maxToolCalls {
		return llm.Response{}, fmt.Errorf("tool_calls has %d entries, and must have 1 to %d", n, maxToolCalls)
	}
	resp, before := llm.Response{StopReason: llm.StopTools}, 0
	for _, m := range r.Messages {
		before += len(m.ToolCalls)
	}
	for i, c := range given.ToolCalls {
		at := slices.IndexFunc(r.Tools, func(t llm.Tool) bool { return t.Name == c.Name })
		if at < 0 {
			return llm.Response{}, fmt.Errorf("tool_calls[%d].name must be a tool of the request, not %q", i, clip.Bytes(c.Name, maxDetail))
		}
		var arguments map[string]any
		if json.Unmarshal(c.Arguments, &arguments) != nil || arguments == nil {
			return llm.Response{}, fmt.Errorf("tool_calls[%d].arguments must be an object", i)
		}
		if err := fits(r.Tools[at].Parameters, arguments); err != nil {
			return llm.Response{}, fmt.Errorf("tool_calls[%d].arguments does not fit the parameters of %s: %s", i, c.Name, detail(err))
		}
		resp.ToolCalls = append(resp.ToolCalls, llm.ToolCall{ID: fmt.Sprintf("call_%d", before+i+1), Name: c.Name,
			Arguments: string(c.Arguments)})
	}
	return resp, nil
}

// fits returns an error if a parsed value does not fit a schema. A schema that cannot be read fits everything,
// because the reader cannot mend it.
func fits(schema json.RawMessage, value any) error {
	var s jsonschema.Schema
	if len(schema) == 0 || json.Unmarshal(schema, &s) != nil {
		return nil
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil
	}
	if err := resolved.Validate(value); err != nil {
		return errors.New(namePlace(err.Error()))
	}
	return nil
}

// places matches the schemas that the validator names before an error, from the outermost one; the group is the
// innermost.
var places = regexp.MustCompile(`^(?:validating [^:]+: )*validating ([^:]+): `)

// namePlace replaces the path of nested schemas before a validator's error by the place in the answer, such as
// findings[].severity.
func namePlace(text string) string {
	m := places.FindStringSubmatchIndex(text)
	if m == nil {
		return text
	}
	var place strings.Builder
	steps := strings.Split(strings.TrimPrefix(text[m[2]:m[3]], "/"), "/")
	for i := 0; i < len(steps); i++ {
		switch {
		case steps[i] == "properties" && i+1 < len(steps):
			i++
			if place.Len() > 0 {
				place.WriteByte('.')
			}
			place.WriteString(steps[i])
		case steps[i] == "items":
			place.WriteString("[]")
		}
	}
	if place.Len() == 0 {
		return text[m[1]:]
	}
	return place.String() + ": " + text[m[1]:]
}

// detail returns the words of an error on one line, cut, without a full stop.
func detail(err error) string {
	return strings.TrimRight(clip.Bytes(strings.Join(strings.Fields(err.Error()), " "), maxDetail), ".")
}
