package engine

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/regexp"
)

// promptFiles are the texts that models are given, a file each: a line with its
// version, a blank line, the text. Words in braces are put in.
//
//go:embed prompts/*.md
var promptFiles embed.FS

// promptForm is the version of what the code writes around the texts and the data;
// raise it when that changes.
const promptForm = "5"

// promptText is one of the files.
type promptText struct {
	name, version, text string
}

var versioned = regexp.MustCompile(`^version: (\d+)\n\n`)

// promptTexts reads the files, in the order of their names.
var promptTexts = sync.OnceValue(func() []promptText {
	entries, err := promptFiles.ReadDir("prompts")
	if err != nil {
		panic(err) // they are in the binary
	}
	var out []promptText
	for _, e := range entries {
		raw, err := promptFiles.ReadFile(path.Join("prompts", e.Name()))
		m := versioned.FindSubmatch(raw)
		if err != nil || m == nil {
			panic("a prompt has no version: " + e.Name()) // a test reads them all
		}
		out = append(out, promptText{strings.TrimSuffix(e.Name(), ".md"), string(m[1]), string(raw[len(m[0]):])})
	}
	return out
})

// textOf is the text of a file with what is put in: pairs of a word in braces and
// its replacement.
func textOf(name string, put ...string) string {
	for _, p := range promptTexts() {
		if p.name == name {
			return strings.NewReplacer(put...).Replace(p.text)
		}
	}
	panic("there is no prompt " + name) // a test asks for each
}

// PromptHash names all that models are told beside the data: texts, schemas and the
// form in which they are put together, as 64 hexadecimal digits. It is part of every
// stage's input hash, so that stored answers to other prompts are not used, and kept
// with every run.
var PromptHash = sync.OnceValue(func() string {
	return hashOf(promptForm, promptTexts(), findingSchema(nil), verdictSchema(), intentSchema(), sameSchema(), guidelineSchema(), sortSchema(), criteriaSchema(), mustJSON(specsOf(allTools)))
})

func hashOf(form string, texts []promptText, schemas ...json.RawMessage) string {
	h := sha256.New()
	_, _ = io.WriteString(h, form)
	for _, p := range texts {
		_, _ = fmt.Fprintf(h, "\x00%s\x00%s\x00%s", p.name, p.version, p.text)
	}
	for _, schema := range schemas {
		_, _ = fmt.Fprintf(h, "\x00%s", schema)
	}
	return hex.EncodeToString(h.Sum(nil))
}
