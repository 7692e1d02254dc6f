package ask

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

// askFiles are the texts that a conversation of any stage may need.
//
//go:embed prompts/*.md
var askFiles embed.FS

// Text is a prompt file: a line with its version, a blank line, the text. Words in braces are replaced.
type Text struct {
	Name, Version, Text string
}

var versioned = regexp.MustCompile(`^version: (\d+)\n\n`)

// ReadTexts reads the prompt files of a folder, in the order of their names. It panics on a file without a version.
func ReadTexts(files embed.FS, folder string) (out []Text) {
	entries, err := files.ReadDir(folder)
	if err != nil {
		panic(err) // the files are in the binary
	}
	for _, e := range entries {
		raw, err := files.ReadFile(path.Join(folder, e.Name()))
		m := versioned.FindSubmatch(raw)
		if err != nil || m == nil {
			panic("a prompt has no version: " + e.Name()) // a test reads all of them
		}
		out = append(out, Text{strings.TrimSuffix(e.Name(), ".md"), string(m[1]), string(raw[len(m[0]):])})
	}
	return out
}

// Texts returns the texts of this package.
var Texts = sync.OnceValue(func() []Text { return ReadTexts(askFiles, "prompts") })

// TextIn returns the text of a name with replacements, which are pairs of a word in braces and its replacement. It
// panics if there is no such text.
func TextIn(texts []Text, name string, put ...string) string {
	for _, p := range texts {
		if p.Name == name {
			return strings.NewReplacer(put...).Replace(p.Text)
		}
	}
	panic("there is no prompt " + name) // a test asks for each text
}

// PromptText is [TextIn] for the texts of this package.
func PromptText(name string, put ...string) string { return TextIn(Texts(), name, put...) }

// Hash returns the SHA-256, in hexadecimal, of texts, schemas and the version of the code that joins them.
func Hash(form string, texts []Text, schemas ...json.RawMessage) string {
	h := sha256.New()
	_, _ = io.WriteString(h, form)
	for _, p := range texts {
		_, _ = fmt.Fprintf(h, "\x00%s\x00%s\x00%s", p.Name, p.Version, p.Text)
	}
	for _, schema := range schemas {
		_, _ = fmt.Fprintf(h, "\x00%s", schema)
	}
	return hex.EncodeToString(h.Sum(nil))
}
