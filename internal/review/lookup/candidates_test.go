package lookup

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// formTree is a repository with constants, fields, receivers and many methods of one name in several languages.
func formTree() enginetest.Tree {
	tree := enginetest.Tree{
		"go.mod":        "module example.com/forms\n\ngo 1.26\n",
		"go/use.go":     "package forms\n\nimport \"example.com/forms/go/box\"\n\nfunc use(r *Reader, b *box.Box) {\n\tr.Decode()\n\tb.Decode()\n\tx := NewWriter()\n\tx.Decode()\n\t_ = maxRows + level\n\t_ = r.rows\n}\n",
		"go/types.go":   "package forms\n\nconst (\n\tlow Level = iota\n\tlevel\n)\n\nvar (\n\tmaxRows = 3\n)\n\ntype Level int\n\ntype Reader struct {\n\trows []string\n}\n\nfunc (r *Reader) Decode() {}\n\ntype Writer struct{}\n\nfunc NewWriter() *Writer { return &Writer{} }\n\nfunc (w *Writer) Decode() {}\n",
		"go/box/box.go": "package box\n\ntype Box struct{}\n\nfunc (b *Box) Decode() {}\n",

		"py/app.py":      "from .settings import LIMIT, engine\nfrom .codec import Codec\n\n\ndef run(codec: Codec, other):\n    codec.decode(LIMIT)\n    made = Codec()\n    made.decode(1)\n    return engine.rows\n\n\nclass Local:\n    size = 3\n\n    def decode(self):\n        return self.size\n\n    def other(self):\n        return self.decode()\n",
		"py/settings.py": "import os\n\nLIMIT = 3\n\nengine = make(\n    os.environ,\n)\n",
		"py/codec.py":    "class Codec:\n    def decode(self, n):\n        return n\n",

		"ts/app.ts":   "import { store, parse } from \"./store\";\nimport { Api } from \"./api\";\n\nexport function run(api: Api) {\n  api.decode(1);\n  parse(2, 3);\n  return store.rows;\n}\n\nexport class View {\n  constructor(private readonly api: Api) {}\n\n  show() {\n    this.api.decode(2);\n  }\n}\n",
		"ts/store.ts": "import { create } from \"lib\";\n\nexport const store = create<State>((set) => ({\n  rows: [],\n}));\n\nexport const parse = (\n  a: number,\n  b: number,\n) => {\n  return a + b;\n};\n",
		"ts/api.ts":   "export class Api {\n  private limit = 3;\n\n  decode = async (n: number) => {\n    return n + this.limit;\n  };\n}\n",

		"java/App.java":    "package a;\n\nclass App {\n    private Codec codec;\n\n    void run() {\n        codec.decode(Limits.MAX_ROWS);\n        Color c = Color.GREEN;\n    }\n}\n",
		"java/Codec.java":  "package a;\n\nclass Codec {\n    int decode(int n) {\n        return n;\n    }\n}\n",
		"java/Limits.java": "package a;\n\nclass Limits {\n    static final int MAX_ROWS = 3;\n}\n",
		"java/Color.java":  "package a;\n\nenum Color {\n    RED,\n    GREEN,\n}\n",

		"cs/App.cs":   "namespace A\n{\n    class App\n    {\n        private readonly Codec codec;\n\n        void Run()\n        {\n            codec.Decode(codec.Limit);\n        }\n    }\n}\n",
		"cs/Codec.cs": "namespace A\n{\n    class Codec\n    {\n        public int Limit { get; set; }\n\n        public int Decode(\n            int n)\n        {\n            return n;\n        }\n    }\n}\n",

		"kt/App.kt":   "package a\n\nclass App(private val codec: Codec) {\n    fun run() = codec.decode(MAX_ROWS)\n}\n",
		"kt/Codec.kt": "package a\n\nconst val MAX_ROWS = 3\n\nclass Codec {\n    fun <T> decode(n: T): T {\n        return n\n    }\n}\n",

		"rb/app.rb":   "require_relative 'codec'\n\nclass App\n  def initialize\n    @codec = Codec.new\n  end\n\n  def run\n    @codec.decode(Codec::LIMIT)\n    codec = Codec.new\n    codec.decode(1)\n  end\nend\n",
		"rb/codec.rb": "class Codec\n  LIMIT = 3\n\n  attr_reader :rows\n\n  def decode(n)\n    n\n  end\nend\n",

		"php/App.php":   "<?php\nuse A\\Codec;\n\nclass App\n{\n    public function run(Codec $codec): int\n    {\n        return $codec->decode(Codec::LIMIT);\n    }\n}\n",
		"php/Codec.php": "<?php\nnamespace A;\n\nclass Codec\n{\n    public const LIMIT = 3;\n\n    public function decode(int $n): int\n    {\n        return $n;\n    }\n}\n",

		"rs/app.rs":   "use crate::codec::{Codec, LIMIT};\n\npub fn run(codec: &mut Codec) -> usize {\n    let made = Codec::new();\n    made.decode(1);\n    codec.decode(LIMIT)\n}\n",
		"rs/codec.rs": "pub const LIMIT: usize = 3;\n\npub struct Codec {\n    rows: Vec<u8>,\n}\n\nimpl Decoder for Codec {\n    fn decode(&mut self, n: usize) -> usize {\n        n\n    }\n}\n",

		"c/app.c":      "#include \"codec.h\"\n\nint run(struct codec *c)\n{\n\treturn codec_decode(c, MAX_ROWS) + codec_ops.open;\n}\n",
		"c/codec.c":    "#include \"codec.h\"\n\nconst struct ops codec_ops = {\n\t.open = 1,\n};\n\nint\ncodec_decode(struct codec *c, int n)\n{\n#ifdef FAST\n\tgoto out;\n#endif\nout:\n\treturn n;\n}\n",
		"c/codec.h":    "#define MAX_ROWS 3\n\nint codec_decode(struct codec *c, int n);\n",
		"cc/app.cpp":   "#include \"codec.hpp\"\n\nint run(Codec& codec) {\n  return codec.decode(kLimit);\n}\n",
		"cc/codec.cpp": "#include \"codec.hpp\"\n\nconstexpr int kLimit = 3;\n\nint Codec::decode(int n) {\n  return n;\n}\n",
	}
	for i := range 12 {
		tree[fmt.Sprintf("go/d%d/d.go", i)] = fmt.Sprintf("package d%d\n\ntype T%d struct{}\n\nfunc (t *T%d) Decode() {}\n", i, i, i)
		tree[fmt.Sprintf("go/e%d.go", i)] = fmt.Sprintf("package forms\n\ntype E%d struct{}\n\nfunc (e *E%d) Decode() {}\n", i, i)
		tree[fmt.Sprintf("py/d%d.py", i)] = fmt.Sprintf("class D%d:\n    def decode(self):\n        pass\n", i)
		tree[fmt.Sprintf("ts/d%d.ts", i)] = fmt.Sprintf("export class D%d {\n  decode(n: number) {\n    return n;\n  }\n}\n", i)
		tree[fmt.Sprintf("java/D%d.java", i)] = fmt.Sprintf("package a;\n\nclass D%d {\n    int decode(int n) {\n        return n;\n    }\n}\n", i)
		tree[fmt.Sprintf("cs/D%d.cs", i)] = fmt.Sprintf("class D%d\n{\n    public int Decode(int n)\n    {\n        return n;\n    }\n}\n", i)
		tree[fmt.Sprintf("kt/D%d.kt", i)] = fmt.Sprintf("class D%d {\n    fun decode(n: Int): Int {\n        return n\n    }\n}\n", i)
		tree[fmt.Sprintf("rb/d%d.rb", i)] = fmt.Sprintf("class D%d\n  def decode(n)\n    n\n  end\nend\n", i)
		tree[fmt.Sprintf("php/D%d.php", i)] = fmt.Sprintf("<?php\nclass D%d\n{\n    public function decode(int $n): int\n    {\n        return $n;\n    }\n}\n", i)
		tree[fmt.Sprintf("rs/d%d.rs", i)] = fmt.Sprintf("impl D%d {\n    fn decode(&self) {\n    }\n}\n", i)
		tree[fmt.Sprintf("cc/d%d.cpp", i)] = fmt.Sprintf("int D%d::decode(int n) {\n  return n;\n}\n", i)
	}
	return tree
}

// The tool finds each form of a definition, and of many methods of one name that of the receiver's type.
func TestFormsOfDefinitions(t *testing.T) {
	t.Parallel()
	tree := formTree()
	box := boxOf(t, tree, enginetest.Merged(tree, enginetest.Tree{"py/app.py": tree["py/app.py"] + "\n# the end\n"}))
	box.calls = 1000
	for what, c := range map[string]struct {
		name, path string
		text       string // that the answer begins with
		hits       int
	}{
		"go: a receiver":              {"r.Decode", "go/use.go", "--- go/types.go Reader.Decode\n", 1},
		"go: of another package":      {"b.Decode", "go/use.go", "--- go/box/box.go Box.Decode\n", 1},
		"go: a made value":            {"x.Decode", "go/use.go", "--- go/types.go Writer.Decode\n", 1},
		"go: a type":                  {"Reader.Decode", "go/use.go", "--- go/types.go Reader.Decode\n", 1},
		"go: a constant of a group":   {"level", "go/use.go", "--- go/types.go level\n    4   \tlow Level = iota\n    5   \tlevel\n", 1},
		"go: a variable of a group":   {"maxRows", "go/use.go", "--- go/types.go maxRows\n    8   var (\n    9   \tmaxRows = 3\n", 1},
		"go: a field":                 {"r.rows", "go/use.go", "--- go/types.go Reader.rows\n   15   \trows []string\n", 1},
		"python: a receiver":          {"codec.decode", "py/app.py", "--- py/codec.py Codec.decode\n", 1},
		"python: a made value":        {"made.decode", "py/app.py", "--- py/codec.py Codec.decode\n", 1},
		"python: its own class":       {"self.decode", "py/app.py", "--- py/app.py Local.decode\n", 1},
		"python: an own attribute":    {"self.size", "py/app.py", "--- py/app.py Local.size\n   13       size = 3\n", 1},
		"python: a constant":          {"LIMIT", "py/app.py", "--- py/settings.py LIMIT\n    3   LIMIT = 3\n", 1},
		"python: a value over lines":  {"engine", "py/app.py", "--- py/settings.py engine\n    5   engine = make(\n    6       os.environ,\n    7   )\n", 1},
		"python: behind its module":   {"settings.LIMIT", "py/app.py", "--- py/settings.py LIMIT\n", 1},
		"python: an unknown receiver": {"other.decode", "py/app.py", "--- py/", 3},
		"typescript: a made value":    {"store", "ts/app.ts", "--- ts/store.ts store\n    3   export const store = create<State>((set) => ({\n    4     rows: [],\n    5   }));\n", 1},
		"typescript: an arrow":        {"parse", "ts/app.ts", "--- ts/store.ts parse\n    7   export const parse = (\n    8     a: number,\n    9     b: number,\n   10   ) => {\n   11     return a + b;\n   12   };\n", 1},
		"typescript: a receiver":      {"api.decode", "ts/app.ts", "--- ts/api.ts Api.decode\n    4     decode = async (n: number) => {\n", 1},
		"typescript: a long receiver": {"this.api.decode", "ts/app.ts", "--- ts/api.ts Api.decode\n", 1},
		"typescript: a property":      {"Api.limit", "ts/app.ts", "--- ts/api.ts Api.limit\n    2     private limit = 3;\n", 1},
		"java: a receiver":            {"codec.decode", "java/App.java", "--- java/Codec.java Codec.decode\n", 1},
		"java: a constant":            {"Limits.MAX_ROWS", "java/App.java", "--- java/Limits.java Limits.MAX_ROWS\n", 1},
		"java: an element":            {"Color.GREEN", "java/App.java", "--- java/Color.java Color.GREEN\n", 1},
		"java: a field":               {"codec", "java/App.java", "--- java/App.java App.codec\n", 1},
		"c#: a receiver":              {"codec.Decode", "cs/App.cs", "--- cs/Codec.cs A.Codec.Decode\n    7           public int Decode(\n    8               int n)\n    9           {\n", 1},
		"c#: a property":              {"codec.Limit", "cs/App.cs", "--- cs/Codec.cs Codec.Limit\n", 1},
		"kotlin: a receiver":          {"codec.decode", "kt/App.kt", "--- kt/Codec.kt Codec.decode\n", 1},
		"kotlin: a constant":          {"MAX_ROWS", "kt/App.kt", "--- kt/Codec.kt MAX_ROWS\n", 1},
		"ruby: a receiver":            {"codec.decode", "rb/app.rb", "--- rb/codec.rb Codec.decode\n", 1},
		"ruby: a constant":            {"Codec::LIMIT", "rb/app.rb", "--- rb/codec.rb Codec.LIMIT\n", 1},
		"ruby: an attribute":          {"codec.rows", "rb/app.rb", "--- rb/codec.rb Codec.rows\n", 1},
		"php: a receiver":             {"$codec->decode", "php/App.php", "--- php/Codec.php Codec.decode\n", 1},
		"php: a constant":             {"Codec::LIMIT", "php/App.php", "--- php/Codec.php Codec.LIMIT\n", 1},
		"rust: a receiver":            {"codec.decode", "rs/app.rs", "--- rs/codec.rs Codec.decode\n", 1},
		"rust: a made value":          {"made.decode", "rs/app.rs", "--- rs/codec.rs Codec.decode\n", 1},
		"rust: a constant":            {"LIMIT", "rs/app.rs", "--- rs/codec.rs LIMIT\n", 1},
		"rust: a field":               {"Codec.rows", "rs/app.rs", "--- rs/codec.rs Codec.rows\n", 1},
		"c: a function over lines":    {"codec_decode", "c/app.c", "--- c/codec.c codec_decode\n    8   codec_decode(struct codec *c, int n)\n    9   {\n   10   #ifdef FAST\n   11   \tgoto out;\n   12   #endif\n   13   out:\n   14   \treturn n;\n   15   }\n", 1},
		"c: a table":                  {"codec_ops", "c/app.c", "--- c/codec.c codec_ops\n", 1},
		"c: a macro":                  {"MAX_ROWS", "c/app.c", "--- c/codec.h MAX_ROWS\n", 1},
		"c++: a receiver":             {"codec.decode", "cc/app.cpp", "--- cc/codec.cpp Codec.decode\n", 1},
		"c++: a constant":             {"kLimit", "cc/app.cpp", "--- cc/codec.cpp kLimit\n", 1},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			got := asked(t, box, "definition", ask.Schema{"name": c.name, "path": c.path})
			if !strings.HasPrefix(got.Text, c.text) || got.Hits != c.hits {
				t.Errorf("%d hits, want %d:\n%s", got.Hits, c.hits, got.Text)
			}
		})
	}
}

// In a function with a name inside a method, this and self mean the object of the type, not that of the method.
func TestTheObjectItselfInNestedFunctions(t *testing.T) {
	t.Parallel()
	tree := enginetest.Tree{
		"a.ts": "export class Cart {\n  total() {\n    const add = () => {\n      return this.price(1);\n    };\n    return add();\n  }\n\n  price(n: number) {\n    return n;\n  }\n}\n\n" +
			"export class Other {\n  price(n: number) {\n    return 2;\n  }\n}\n",
		"b.ts": "export class Shop {\n  open() {\n    const options = {\n      ready: () => this.price(1),\n    };\n    return options;\n  }\n\n  price(n: number) {\n    return n;\n  }\n}\n",
		"c.py": "class Cart:\n    def total(self):\n        def add():\n            return self.price(1)\n\n        return add()\n\n    def price(self, n):\n        return n\n\n\n" +
			"class Other:\n    def price(self, n):\n        return 2\n",
		"d.js": "export const api = {\n  run() {\n    const again = () => this.price(2);\n    return again();\n  },\n  price(n) {\n    return n;\n  },\n};\n",
		"e.js": "function Cart() {\n  this.price = function (n) {\n    return n;\n  };\n  this.total = function () {\n    return this.price(1);\n  };\n}\n",
		"f.ts": "export class Deep {\n  total() {\n    const first = () => {\n      const second = () => {\n        const third = () => {\n          return this.price(1);\n        };\n        return third();\n      };\n" +
			"      return second();\n    };\n    return first();\n  }\n\n  price(n: number) {\n    return n;\n  }\n}\n\nexport class Other {\n  price(n: number) {\n    return 2;\n  }\n}\n",
	}
	box := boxOf(t, tree, enginetest.Merged(tree, enginetest.Tree{"a.ts": tree["a.ts"] + "\n// the end\n"}))
	for path, want := range map[string]string{"a.ts": "Cart.price", "b.ts": "Shop.price", "c.py": "Cart.price", "d.js": "price", "e.js": "Cart.price", "f.ts": "Deep.price"} {
		name := "this.price"
		if strings.HasSuffix(path, ".py") {
			name = "self.price"
		}
		got := asked(t, box, "definition", ask.Schema{"name": name, "path": path})
		if !strings.HasPrefix(got.Text, "--- "+path+" "+want+"\n") || got.Hits != 1 {
			t.Errorf("%s: %d hits:\n%s", path, got.Hits, got.Text)
		}
	}
}

// Without a path, a name that Go does not export is found in each package of the change, and then in others.
func TestNamesOfSeveralPackages(t *testing.T) {
	t.Parallel()
	tree := enginetest.Tree{
		"go.mod":   "module example.com/m\n",
		"a/a.go":   "package a\n\nfunc first() int { return 1 }\n\nfunc both() int { return 1 }\n",
		"b/b.go":   "package b\n\nfunc second() int { return 2 }\n\nfunc both() int { return 2 }\n\nconst limit = 3\n\ntype store struct{ rows int }\n\nfunc (s *store) fill() {}\n",
		"c/c.go":   "package c\n\nfunc third() int { return 3 }\n",
		"web/x.ts": "export function second() {\n  return 4;\n}\n",
	}
	after := enginetest.Merged(tree, enginetest.Tree{"a/a.go": tree["a/a.go"] + "\nvar x = 1\n", "b/b.go": tree["b/b.go"] + "\nvar x = 1\n"})
	box := boxOf(t, tree, after)
	box.calls = 100
	for name, want := range map[string][]string{
		"first": {"--- a/a.go first\n"}, "second": {"--- b/b.go second\n"}, "both": {"--- a/a.go both\n", "--- b/b.go both\n"}, "limit": {"--- b/b.go limit\n"},
		"store": {"--- b/b.go store\n"}, "fill": {"--- b/b.go store.fill\n"}, "store.fill": {"--- b/b.go store.fill\n"}, "third": {"--- c/c.go third\n"}, "b.second": {"--- b/b.go second\n"},
	} {
		got := asked(t, box, "definition", ask.Schema{"name": name, "path": nil})
		for _, w := range want {
			if !strings.Contains(got.Text, w) || got.Hits != len(want) {
				t.Errorf("%s: %d hits:\n%s", name, got.Hits, got.Text)
			}
		}
	}
	if got := asked(t, box, "definition", ask.Schema{"name": "third", "path": "a/a.go"}); strings.Contains(got.Text, "--- c/c.go third\n    3   func") && !strings.HasPrefix(got.Text, sayStands) {
		t.Errorf("a name of another package:\n%s", got.Text)
	}
}

// The bound of packages that are asked for a name holds, and the last package is found by the search of all.
func TestManyPackages(t *testing.T) {
	t.Parallel()
	base, head := enginetest.Tree{"go.mod": "module example.com/m\n"}, enginetest.Tree{}
	for i := range 3 * maxPackages {
		path := fmt.Sprintf("p%02d/p.go", i)
		base[path] = fmt.Sprintf("package p%02d\n\nfunc only%02d() int { return 1 }\n", i, i)
		head[path] = base[path] + "\nvar x = 1\n"
	}
	box := boxOf(t, base, enginetest.Merged(base, head))
	box.patience = 60 * time.Second // the machine may be busy
	for _, i := range []int{0, maxPackages, 3*maxPackages - 1} {
		name, want := fmt.Sprintf("only%02d", i), fmt.Sprintf("--- p%02d/p.go only%02d\n", i, i)
		if got := asked(t, box, "definition", ask.Schema{"name": name, "path": nil}); !strings.HasPrefix(got.Text, want) {
			t.Errorf("%s:\n%s", name, got.Text)
		}
	}
}
