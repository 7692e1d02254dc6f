package around

import (
	"cmp"
	"path"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// importing matches lines that import names of other files.
var importing = regexp.MustCompile(`^\s*(?:import\b|from\b|use\b|using\b|require\b|#include\b` +
	`|(?:const|let|var)\b.*\brequire\(|export\b.*\bfrom\b|[\w.]*\s*"[\w./~@-]+"$)`)

// Bounds of the imports of a file: lines at its head that may import something, and the names and bytes of its imports
// by name.
const (
	maxImports     = 300
	maxImportNames = 500
	maxImportBytes = 32 << 10
)

// importedNames returns the words of a file's imports.
func importedNames(blob []byte) map[string]bool {
	out := map[string]bool{}
	n := 0
	for l := range strings.Lines(string(blob)) {
		if n++; n > maxImports {
			break
		}
		if l = strings.TrimRight(l, "\r\n"); len(l) <= change.MaxSearchedLine && importing.MatchString(l) {
			for _, w := range change.Words(l) {
				out[w] = true
			}
		}
	}
	return out
}

// imports are the imports of a file.
type imports struct {
	words map[string]bool       // all words of them
	from  map[string]importedBy // by name; in Python and in languages of scripts
}

// importedBy is the module that a name comes from, and in Python the name that the module has for it, which may be that of a
// module below.
type importedBy struct{ module, name string }

// The forms of imports by name: the names and the module, on one line or several.
var (
	scriptImport = regexp.MustCompile(`(?m)^\s*(?:import|export)\s+([^;'"()]*?)\s*\bfrom\s*['"]([^'"\n]+)['"]`)
	requirement  = regexp.MustCompile(`(?m)^\s*(?:const|let|var)\s+([^=;]*?)\s*=\s*(?:await\s+)?(?:require|import)\(\s*['"]([^'"\n]+)['"]`)
	pythonFrom   = regexp.MustCompile(`(?m)^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)`)
	pythonImport = regexp.MustCompile(`(?m)^[ \t]*import[ \t]+([\w.]+)(?:[ \t]+as[ \t]+(\w+))?[ \t]*$`)
)

// importsOf reads the imports of a file.
func importsOf(language string, blob []byte) imports {
	out := imports{importedNames(blob), map[string]importedBy{}}
	text := string(blob[:min(len(blob), maxImportBytes)])
	add := func(name string, by importedBy) {
		if len(out.from) < maxImportNames {
			out.from[name], out.words[name] = by, true
		}
		for _, w := range change.Words(by.module) {
			out.words[w] = true
		}
	}
	switch {
	case structure.IsScript(language):
		for _, form := range []*regexp.Regexp{scriptImport, requirement} {
			for _, m := range form.FindAllStringSubmatch(text, -1) {
				for _, w := range change.Words(m[1]) {
					if w != "as" && w != "type" && w != "import" {
						add(w, importedBy{module: m[2]})
					}
				}
			}
		}
	case language == "Python":
		for _, m := range pythonFrom.FindAllStringSubmatch(text, -1) {
			for part := range strings.SplitSeq(comment.ReplaceAllString(m[2], ""), ",") {
				if names := change.Words(part); len(names) > 0 {
					add(names[len(names)-1], importedBy{m[1], names[0]})
				}
			}
		}
		for _, m := range pythonImport.FindAllStringSubmatch(text, -1) {
			add(cmp.Or(m[2], m[1][strings.LastIndexByte(m[1], '.')+1:]), importedBy{module: m[1]})
		}
	}
	return out
}

var comment = regexp.MustCompile(`#[^\n]*`)

// How a place relates to the import of a name.
type origin int

const (
	notImported   origin = iota // the file does not import the name
	fromModule                  // the module is the place's file, or a folder around it
	fromSubmodule               // the name is that of a module, which is the place's file
	fromOther                   // the module is another file of the repository, which may pass the name on
	fromLibrary                 // the module is not a file of the repository as far as its name says
)

// origin returns how a place relates to the import of a used name, or of the name before its dot.
func (i imports) origin(f *diff.File, u Use, place string) origin {
	by, is := i.from[u.Qualifier]
	if u.Qualifier == "" {
		by, is = i.from[u.Name]
	}
	if !is {
		return notImported
	}
	module := by.module
	if f.Language == "Python" {
		module = pythonPath(f.Path, module)
	} else if strings.HasPrefix(module, ".") {
		module = "/" + path.Join(path.Dir(f.Path), module)
	}
	at, relative := "/"+strings.TrimSuffix(place, path.Ext(place)), strings.HasPrefix(module, "/")
	tail := strings.TrimPrefix(module, "/")
	if !relative { // an alias or the name of a package may stand for the beginning
		if first, rest, more := strings.Cut(module, "/"); more && strings.ContainsAny(first[:min(1, len(first))], "@~#$") {
			tail = rest
		}
	}
	if ext := path.Ext(tail); f.Language != "Python" && scriptExtensions[ext] {
		tail = strings.TrimSuffix(tail, ext)
	}
	tail = "/" + strings.TrimSuffix(tail, "/index")
	if by.name != "" && u.Qualifier != "" {
		below := path.Join(tail, by.name)
		file := strings.TrimSuffix(at, "/__init__")
		if file == below || !relative && strings.HasSuffix(file, below) {
			return fromSubmodule
		}
		if unicode.IsLower(rune(by.name[0])) && isBelow(file, tail, relative) && !isBelow(file, below, relative) {
			return fromOther // the name is rather that of a module, which another file is
		}
	}
	switch {
	case relative && (at == tail || isBelow(at, tail, relative)):
		return fromModule
	case relative:
		return fromOther
	case strings.HasSuffix(at, tail) || isBelow(at, tail, relative):
		return fromModule
	}
	return fromLibrary
}

// isBelow reports whether a file stands in the folder of a module, whose path begins at the top or may begin anywhere.
func isBelow(at, module string, relative bool) bool {
	if relative {
		return strings.HasPrefix(at, strings.TrimSuffix(module, "/")+"/")
	}
	return strings.Contains(at, module+"/")
}

// scriptExtensions are the extensions that the module of an import may have. Other dots belong to its name, as in
// "./user.service".
var scriptExtensions = map[string]bool{".js": true, ".jsx": true, ".mjs": true, ".cjs": true, ".ts": true, ".tsx": true, ".mts": true,
	".cts": true, ".vue": true, ".svelte": true}

// pythonPath returns the module of a Python import as a path. It begins with a slash if the module is named from the
// importing file.
func pythonPath(importer, module string) string {
	name := strings.TrimLeft(module, ".")
	below := strings.ReplaceAll(name, ".", "/")
	if dots := len(module) - len(name); dots > 0 {
		dir := path.Dir(importer)
		for range dots - 1 {
			dir = path.Dir(dir)
		}
		return path.Join("/", dir, below)
	}
	return below
}
