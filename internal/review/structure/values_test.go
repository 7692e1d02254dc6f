package structure

import (
	"strings"
	"testing"
)

// The lines between the marks define the name. It is a member if only a value or type before its dot shows it.
func TestValues(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		language, text string
		name           string // that is looked for
		want           string // the symbol
		member         bool
	}{
		"python: a constant":            {"Python", "import a\n\n«LIMIT = 3»\n\ndef f():\n    LIMIT = 4", "LIMIT", "LIMIT", false},
		"python: over lines":            {"Python", "«rows = {\n    'a': 1,\n}»\nb = rows", "rows", "rows", false},
		"python: with a type":           {"Python", "«log: Logger = get(\"rows\")»\nif log:\n    pass", "log", "log", false},
		"python: in a condition":        {"Python", "try:\n    import a\nexcept E:\n    «a_lib = None»", "a_lib", "a_lib", false},
		"python: several":               {"Python", "«first, last = 1, 2»", "last", "last", false},
		"python: a text":                {"Python", "«QUERY = \"\"\"\nselect 1\n\nQUERY = 2\n\"\"\"»\nx = 1", "QUERY", "QUERY", false},
		"python: an attribute":          {"Python", "class A:\n    «limit = 3»\n\n    def f(self, limit=4):\n        g(\n            limit=5,\n        )", "limit", "A.limit", true},
		"python: a constant of a class": {"Python", "class A:\n    «LIMIT = 3»", "LIMIT", "A.LIMIT", false},
		"python: a field":               {"Python", "@dataclass\nclass A:\n    «limit: int»", "limit", "A.limit", true},
		"python: of an instance":        {"Python", "class A:\n    def __init__(self, limit):\n        «self.limit = limit»", "limit", "A.limit", true},
		"typescript: a made value":      {"TypeScript", "import { create } from 'a';\n\n«export const store = create<State>((set) => ({\n  a: 1,\n}));»\nstore();", "store", "store", false},
		"typescript: an object":         {"TypeScript", "«export const client = new Client({\n  url: `\n}\n`,\n});»\nclient.get();", "client", "client", false},
		"typescript: with a type":       {"TypeScript", "«let limit: number | undefined;»\nfunction f(limit: number) {\n  const a = limit;\n}", "limit", "limit", false},
		"typescript: taken apart":       {"TypeScript", "«export const { first, last } = make();»", "last", "last", false},
		"typescript: a property":        {"TypeScript", "class A {\n  «private readonly limit: number = 3;»\n  f() {\n    this.limit = 4;\n  }\n}", "limit", "A.limit", true},
		"typescript: without words":     {"TypeScript", "class A {\n  «limit = 3»\n}", "limit", "A.limit", true},
		"typescript: of an interface":   {"TypeScript", "interface A {\n  «limit?: number;»\n}", "limit", "A.limit", true},
		"typescript: of a constructor":  {"TypeScript", "class A {\n  «constructor(private readonly store: Store) {}»\n}", "store", "A.store", true},
		"typescript: of an enumeration": {"TypeScript", "export enum Color {\n  Red,\n  «Green = 'g',»\n}", "Green", "Color.Green", true},
		"typescript: of an object":      {"TypeScript", "export const handlers = {\n  «remove: wrap(async (a) => {\n    b();\n  }),»\n};", "remove", "handlers.remove", true},
		"typescript: abstract":          {"TypeScript", "abstract class A {\n  «protected abstract load(a: B): C;»\n}", "load", "A.load", true},
		"javascript: exported":          {"JavaScript", "«exports.limit = 3;»", "limit", "limit", false},
		"javascript: of an instance":    {"JavaScript", "class A {\n  constructor() {\n    «this.limit = 3;»\n  }\n}", "limit", "A.limit", true},
		"javascript: a sign":            {"JavaScript", "«const $ = load('a');»\nfunction f() {\n  return $('b');\n}", "$", "$", false},
		"java: a constant":              {"Java", "class A {\n    «private static final int LIMIT = 3;»\n    int f() {\n        return LIMIT;\n    }\n}", "LIMIT", "A.LIMIT", false},
		"java: a field":                 {"Java", "class A {\n    @Inject\n    «private Map<String, List<B>> rows;»\n\n    void f() {\n        rows = null;\n        int rows2 = rows.x;\n    }\n}", "rows", "A.rows", true},
		"java: of an enumeration":       {"Java", "enum Color {\n    RED(1),\n    «GREEN(2);»\n\n    private final int n;\n}", "GREEN", "Color.GREEN", true},
		"java: of an interface":         {"Java", "interface A {\n    «int wanted(int a);»\n}", "wanted", "A.wanted", true},
		"java: of a record":             {"Java", "«public record Point(int x, int yy) {}»", "yy", "yy", true},
		"csharp: a property":            {"C#", "namespace N\n{\n    public class A\n    {\n        «public string Name { get; set; } = \"a\";»\n    }\n}", "Name", "A.Name", true},
		"csharp: an expression":         {"C#", "class A\n{\n    «public int Total => a + b;»\n}", "Total", "A.Total", true},
		"csharp: a constant":            {"C#", "class A\n{\n    «internal const int Limit = 3;»\n}", "Limit", "A.Limit", true},
		"kotlin: a constant":            {"Kotlin", "«const val LIMIT = 3»\nfun f() { val a = LIMIT }", "LIMIT", "LIMIT", false},
		"kotlin: of a class":            {"Kotlin", "class A {\n    «private val rows: List<B> by lazy {\n        c()\n    }»\n}", "rows", "A.rows", false},
		"kotlin: of a constructor":      {"Kotlin", "«class A(private val store: Store) {\n    fun f() = store.g()\n}»", "store", "store", true},
		"kotlin: of an enumeration":     {"Kotlin", "enum class Color {\n    RED,\n    «GREEN,»\n}", "GREEN", "Color.GREEN", true},
		"swift: a property":             {"Swift", "class A {\n    «lazy var rows: [B] = {\n        c()\n    }()»\n}", "rows", "A.rows", false},
		"ruby: a constant":              {"Ruby", "class A\n  «LIMITS = {\n    b: 1\n  }.freeze»\n\n  def c\n  end\nend", "LIMITS", "A.LIMITS", false},
		"ruby: an attribute":            {"Ruby", "class A\n  «attr_reader :rows, :limit»\nend", "limit", "A.limit", true},
		"ruby: of an instance":          {"Ruby", "class A\n  def b\n    «@rows ||= c»\n  end\nend", "rows", "A.rows", true},
		"php: a constant":               {"PHP", "<?php\nclass A\n{\n    «public const LIMIT = 3;»\n}", "LIMIT", "A.LIMIT", false},
		"php: a property":               {"PHP", "<?php\nclass A\n{\n    «private ?Store $store = null;»\n    function b() { return $this->store; }\n}", "store", "A.store", true},
		"php: of a constructor":         {"PHP", "<?php\nclass A\n{\n    public function __construct(\n        «private readonly Store $store,»\n    ) {\n    }\n}", "store", "A.store", true},
		"php: defined":                  {"PHP", "<?php\n«define('LIMIT', 3);»", "LIMIT", "LIMIT", false},
		"php: a variable":               {"PHP", "<?php\n«$rows = [\n    1,\n];»\nf($rows);", "rows", "rows", false},
		"rust: a constant":              {"Rust", "«pub(crate) const LIMIT: usize = 3;»\nfn f() { let a = LIMIT; }", "LIMIT", "LIMIT", false},
		"rust: a static":                {"Rust", "«static mut ROWS: [u8; 2] = [\n    1,\n    2,\n];»\nfn f() {}", "ROWS", "ROWS", false},
		"rust: a field":                 {"Rust", "pub struct A {\n    «pub rows: Vec<B>,»\n}\n\nfn f() -> A {\n    A { rows: c }\n}", "rows", "A.rows", true},
		"rust: a variant":               {"Rust", "enum Color {\n    Red,\n    «Green { a: u8 },»\n}", "Green", "Color.Green", true},
		"c: a macro":                    {"C", "«#define LIMIT(a) \\\n\t(a + 1)»\nint f(void) { return LIMIT(1); }", "LIMIT", "LIMIT", false},
		"c: a table":                    {"C", "«static const struct entry rows[] = {\n\t{ 1, 2 },\n};»\nint f(void)\n{\n\treturn rows[0].a;\n}", "rows", "rows", false},
		"c: a type at its end":          {"C", "«typedef struct {\n\tint a;\n} entry_t;»\nint b;", "entry_t", "entry_t", false},
		"c: an element":                 {"C", "enum color {\n\tRED,\n\t«GREEN = 2,»\n};", "GREEN", "color.GREEN", true},
		"c: a field":                    {"C", "struct entry {\n\t«unsigned long *rows, *last;»\n};\nint f(struct entry *e) { return e->rows; }", "last", "entry.last", true},
		"c: a type of functions":        {"C", "«typedef int (*handler)(int a);»\nint f(handler h);", "handler", "handler", false},
		"cpp: a member":                 {"C++", "namespace n {\nclass A {\n public:\n  int f();\n private:\n  «std::map<int, std::string> rows_;»\n};\n}", "rows_", "A.rows_", true},
		"cpp: a constant":               {"C++", "namespace n {\n«constexpr int kLimit = 3;»\n}", "kLimit", "kLimit", false},
		"go: a constant of a group":     {"Go", "package p\n\nconst (\n\t«A State = iota\n\tB\n\tC»\n\tD\n)\n", "C", "C", false},
		"go: with a value":              {"Go", "package p\n\nconst (\n\tA = 1\n\t«B = 2»\n)\n", "B", "B", false},
		"go: a variable of a group":     {"Go", "package p\n\nvar (\n\ta int\n\t«rows = map[string]int{\n\t\t\"a\": 1,\n\t}»\n)\n", "rows", "rows", false},
		"go: a field":                   {"Go", "package p\n\ntype T struct {\n\ta int\n\t«rows []string»\n}\n", "rows", "T.rows", true},
		"go: a method of an interface":  {"Go", "package p\n\ntype T interface {\n\t«Close(\n\t\ta int,\n\t) error»\n}\n", "Close", "T.Close", true},
		"shell: a variable":             {"Bash", "«readonly LIMIT=3»\nf() {\n  echo $LIMIT\n}", "LIMIT", "LIMIT", false},
		"lua: a table":                  {"Lua", "«local limits = {\n  a = 1,\n}»\nreturn limits", "limits", "limits", false},
		"elixir: an attribute":          {"Elixir", "defmodule A do\n  «@limit 3»\n\n  def f, do: @limit\nend", "limit", "A.limit", true},
		"local: python":                 {"Python", "def f():\n    rows = 1\n    return rows", "rows", "", false},
		"local: typescript":             {"TypeScript", "export function f() {\n  const rows = g();\n  return rows;\n}\nit('a', () => {\n  const rows = 1;\n});", "rows", "", false},
		"local: java":                   {"Java", "class A {\n    void f() {\n        int rows = 1;\n        g(rows);\n    }\n}", "rows", "", false},
		"local: c":                      {"C", "int f(void)\n{\n\tint rows = 1;\n\tgoto rows;\n}", "rows", "", false},
		"local: rust":                   {"Rust", "fn f() {\n    let rows = 1;\n    g(A { rows, b });\n}", "rows", "", false},
		"local: ruby":                   {"Ruby", "def f\n  rows = 1\n  rows == 2\nend", "rows", "", false},
		"a use of a sign":               {"Java", "class A {\n    void f() {\n        g($, a$b);\n    }\n}", "$", "", false},
		"a type":                        {"Java", "class A {\n    private byte[] rows;\n}", "byte", "", false},
		"a comparison":                  {"Python", "if rows == 1:\n    pass\nassert rows", "rows", "", false},
		"a comment":                     {"Python", "# rows = 1\n\"\"\"\nrows = 2\n\"\"\"", "rows", "", false},
		"an import":                     {"TypeScript", "import { rows } from './rows';\nexport { rows };\nexport * from 'rows';", "rows", "", false},
		"an import of java":             {"Java", "package rows;\nimport a.rows;\nclass A {}", "rows", "", false},
		"a use at the top":              {"TypeScript", "f(rows);\nrows.push(1);\nif (rows) {\n}\nexport default rows;", "rows", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.NewReplacer("«", "", "»", "").Replace(tt.text)
			found := Definitions("x", tt.language, []byte(text), map[string]bool{tt.name: true}, 1<<20)
			if tt.member != (len(found) == 0) && tt.want != "" || tt.want == "" && len(found) > 0 {
				t.Errorf("definitions: %+v", found)
			}
			if tt.member || tt.want == "" {
				found = Members("x", tt.language, []byte(text), tt.name, 1<<20)
			}
			if tt.want == "" {
				if len(found) > 0 {
					t.Errorf("members: %+v", found)
				}
				return
			}
			first := 1 + strings.Count(tt.text[:strings.Index(tt.text, "«")], "\n")
			last := 1 + strings.Count(tt.text[:strings.Index(tt.text, "»")], "\n")
			if len(found) == 0 || found[0].Symbol != tt.want || found[0].Start != first || found[0].End != last {
				t.Errorf("%+v, want %s in %d to %d\n%s", found, tt.want, first, last, numbered(text))
			}
		})
	}
}

// Lines that only use a name do not declare it.
func TestLinesThatMayDeclareInGo(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"func (f *File) Close() error {": true, "func Close() {": true, "type Close struct {": true, "var a, Close = 1, 2": true, "\tClose() error": true, "\tOpen, Close int": true, "\tClose = 7": true,
		"\treturn f.Close()": false, "\tdefer r.Close()": false, "\tif err := f.Close(); err != nil {": false, "\tother()": false, "func (f *File) Closer() error {": false, "": false,
	} {
		if got := MayDeclare("Go", line, "Close"); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// An empty name is declared nowhere, and the search for it ends.
func TestAnEmptyNameIsNotDeclared(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"JavaScript", "Java", "PHP", "Bash"} {
		if MayDeclare(language, "let $ = 1;", "") {
			t.Error(language)
		}
	}
}

// The work for a name grows with the file, also with many levels, equal words and lines that go on.
func TestWorkForValuesIsBounded(t *testing.T) {
	t.Parallel()
	var deep, ends, macros strings.Builder
	for i := range 128 {
		deep.WriteString(strings.Repeat(" ", i) + strings.Repeat("x ", 240) + "\n")
	}
	deep.WriteString(strings.Repeat(strings.Repeat(" ", 200)+"const ab=1\n", 3_000))
	for range 50_000 {
		ends.WriteString(") fn ab {\n")
		macros.WriteString("#define ab \\\n")
	}
	names := map[string]bool{"ab": true, "cd": true}
	for language, text := range map[string]string{"TypeScript": deep.String(), "Rust": ends.String(), "C": macros.String()} {
		Definitions("a", language, []byte(text), names, 1<<20)
	}
	Definitions("a", "TypeScript", []byte("const "+strings.Repeat("ab,cd,", 80)+"\n"), names, 1<<20)
}
