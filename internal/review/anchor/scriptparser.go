package anchor

import (
	"path"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Bounds of the input of esbuild. esbuild recurses for each level of nesting, with up to 6 KiB of the
// stack, and its time grows with the square of the levels. Brackets, operators and commas are counted
// everywhere, each sign by itself, because only the parser can tell comments, strings and regular
// expressions from code. It reads the code after "infer" twice.
const (
	maxScript = 128 << 10 // bytes
	maxSigns  = 3000      // occurrences of one sign
	maxInfer  = 10
)

// scriptLoaders are the esbuild loaders by file extension. JavaScript may contain HTML elements.
var scriptLoaders = map[string]api.Loader{
	".js": api.LoaderJSX, ".mjs": api.LoaderJSX, ".cjs": api.LoaderJSX, ".jsx": api.LoaderJSX, ".ts": api.LoaderTS, ".mts": api.LoaderTS,
	".cts": api.LoaderTS, ".tsx": api.LoaderTSX, ".css": api.LoaderCSS,
}

// scriptFaults are the warnings of esbuild that count as errors, because the program fails there or a part
// of it has no effect.
var scriptFaults = strings.Fields(`assign-to-constant assign-to-import css-syntax-error duplicate-case duplicate-class-member
	duplicate-object-key js-comment-in-css semicolon-after-return`)

// validScript returns the parser of a JavaScript, TypeScript or CSS file by its extension, nil for other
// files.
func validScript(name string) func([]byte) (valid, known bool) {
	loader, is := scriptLoaders[strings.ToLower(path.Ext(name))]
	if !is {
		return nil
	}
	configs := []string{""}
	// decorators of parameters are an option, and some other decorators are errors with it
	if loader == api.LoaderTS || loader == api.LoaderTSX {
		configs = append(configs, `{"compilerOptions":{"experimentalDecorators":true}}`)
	}
	return func(b []byte) (valid, known bool) {
		if !withinScript(b) {
			return false, false
		}
		defer func() {
			if recover() != nil {
				valid, known = false, false
			}
		}()
		for _, config := range configs {
			out := api.Transform(string(b), api.TransformOptions{Loader: loader, TsconfigRaw: config, JSX: api.JSXPreserve,
				LogLevel: api.LogLevelSilent})
			if slices.ContainsFunc(out.Errors, func(m api.Message) bool { return strings.HasPrefix(m.Text, "panic: ") }) {
				return false, false
			}
			fault := func(m api.Message) bool {
				return slices.Contains(scriptFaults, m.ID) || strings.HasSuffix(m.Text, "is not valid inside a JSX element")
			}
			if len(out.Errors) == 0 && !slices.ContainsFunc(out.Warnings, fault) {
				return true, true
			}
		}
		return false, true
	}
}

// withinScript reports whether a file is within the bounds of a parse.
func withinScript(b []byte) bool {
	if len(b) > maxScript || strings.Count(string(b), "infer") > maxInfer {
		return false
	}
	var seen [256]int
	for _, c := range b {
		seen[c]++
	}
	for c := range seen {
		if strings.IndexByte("!$%&()*+,./:<=>?@[]^`{|}~-", byte(c)) >= 0 && seen[c] > maxSigns {
			return false
		}
	}
	return true
}
