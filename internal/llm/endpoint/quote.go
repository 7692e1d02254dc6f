package endpoint

import (
	"errors"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/llm"
)

// quoteLength is the number of consecutive letters and digits that make a quotation (design choice: longer
// than the names of fields, shorter than a line of code).
const quoteLength = 20

// redactQuotes removes quotations of the conversation from an error's message. Messages are shown and stored where
// code of a change does not belong, and some servers quote the input that they refuse (vLLM: "[{'type':
// 'extra_forbidden', …, 'input': …}]", https://github.com/voideditor/void/issues/128).
func redactQuotes(err error, req llm.Request) error {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return err
	}
	said, at := letters(e.ProviderMessage)
	windows := map[string][]int{}
	for i := 0; i+quoteLength <= len(said); i++ {
		w := said[i : i+quoteLength]
		windows[w] = append(windows[w], i)
	}
	if len(windows) == 0 {
		return err
	}
	quoted := make([]bool, len(e.ProviderMessage))
	found := false
	for _, m := range req.Messages {
		text, _ := letters(m.Text)
		for i := 0; i+quoteLength <= len(text); i++ {
			for _, from := range windows[text[i:i+quoteLength]] {
				found = true
				for k := at[from]; k <= at[from+quoteLength-1]; k++ {
					quoted[k] = true
				}
			}
		}
	}
	if !found {
		return err
	}
	var b strings.Builder
	for i, r := range e.ProviderMessage {
		switch {
		case !quoted[i]:
			b.WriteRune(r)
		case i == 0 || !quoted[i-1]:
			b.WriteString("[…]")
		}
	}
	out := *e
	out.ProviderMessage = b.String()
	return &out
}

// letters returns the ASCII letters and digits of a text and their positions. A quotation keeps them, whatever
// escapes it or joins its lines.
func letters(text string) (out string, at []int) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] != '\\':
			i++ // the letter of an escape
		case c < unicode.MaxASCII && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c))):
			b.WriteByte(c)
			at = append(at, i)
		}
	}
	return b.String(), at
}
