package structure

import (
	"strings"
	"testing"
)

// The line with the mark stands in the named symbol.
func TestEnclosingSymbols(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ language, text, want string }{
		"a method of the class itself in Ruby": {"Ruby", "class Order\n  class << self\n    def wanted(x)\n      §self.new(x)\n    end\n  end\nend", "Order.wanted"},
		"behind a shift in Ruby":               {"Ruby", "def before(lines, line)\n  lines << line\n  lines<<line\nend\n\ndef wanted\n  §line\nend", "wanted"},
		"behind a document in Ruby":            {"Ruby", "def before\n  run <<~SQL\n    def other\n  SQL\nend\n\ndef wanted\n  §line\nend", "wanted"},
		"behind a shift in PHP":                {"PHP", "<?php\nfunction before() {\n  return 1 << BITS;\n}\nfunction wanted() {\n  §BITS;\n}", "wanted"},
		"behind a document in Bash":            {"Bash", "before() {\n  cat << EOF\nother() {\nEOF\n}\nwanted() {\n  §run\n}", "wanted"},
		"behind a string in Objective-C":       {"Objective-C", "void before(void) {\n  [s append:@\"\\\"\"];\n}\nvoid wanted(void) {\n  §run(@\"a\");\n}", "wanted"},
		"behind a string as it is in C#":       {"C#", "class A {\n  void Before() {\n    var s = @\"a \"\" }\n}\";\n  }\n  void wanted() {\n    §Run();\n  }\n}", "A.wanted"},
		"an arrow with a list over lines":      {"TypeScript", "function before() {\n}\n\nexport const wanted = (\n  a: A,\n  b = f(1),\n) => {\n  §\n};", "wanted"},
		"one without a block":                  {"TypeScript", "export const wanted = (\n  a: A,\n) =>\n  §a.b;", "wanted"},
		"an object that is taken apart":        {"TypeScript", "export const wanted = ({\n  a,\n  b = 1,\n}: Props) => {\n  §\n};", "wanted"},
		"one of a method":                      {"TypeScript", "class A {\n  public async wanted(a: {\n    b: string;\n    c: number;\n  }): Promise<void> {\n    §\n  }\n}", "A.wanted"},
		"an object as an argument":             {"TypeScript", "function wanted() {\n  foo({\n    §a: 1,\n  })\n}", "wanted"},
		"types over lines":                     {"TypeScript", "export function before() {\n}\nexport const wanted = <\n  A,\n  B,\n>(\n  a: A,\n): B => {\n  §\n};", "wanted"},
		"types of a function":                  {"TypeScript", "export function wanted<\n  A,\n  B,\n>(\n  a: A,\n): B {\n  §\n}", "wanted"},
		"a method with a name of a word":       {"TypeScript", "class A {\n  delete(a: B) {\n    §\n  }\n}", "A.delete"},
		"one behind its sign":                  {"TypeScript", "const wanted =\n  (a: A) =>\n  (b: B): C =>\n    §a.b;", "wanted"},
		"an object as a parameter":             {"TypeScript", "class A {\n  wanted(a: { b: C; d: E }): F {\n    §\n  }\n}", "A.wanted"},
		"its own lines":                        {"TypeScript", "export const wanted = async (\n  §a: A,\n): Promise<B> => {\n  c();\n};", "wanted"},
		"a typed arrow":                        {"TypeScript", "const wanted: (a: A) => void = (a) => {\n  §\n};", "wanted"},
		"a generic arrow":                      {"TypeScript", "export const wanted = <T extends A,>(a: T): a is B => {\n  §\n};", "wanted"},
		"a wrapped arrow":                      {"TypeScript", "function View() {\n  const wanted = useCallback(async (a) => {\n    §\n  }, []);\n}", "View.wanted"},
		"one in the next line":                 {"TypeScript", "export const wanted = create<State>()(\n  devtools((set) => ({\n    §\n  })),\n);", "wanted"},
		"a wrapped function":                   {"TypeScript", "export const Wanted = React.memo(\n  function Inner(a) {\n    §\n  },\n);", "Wanted.Inner"},
		"a callback":                           {"TypeScript", "function wanted() {\n  const a = list.map((b) => {\n    §\n  });\n}", "wanted"},
		"a call with a block":                  {"TypeScript", "function wanted() {\n  describe(\"a\", () => {\n    §\n  });\n}", "wanted"},
		"a property of a class":                {"TypeScript", "class A {\n  private wanted = async (a: B) => {\n    §\n  };\n}", "A.wanted"},
		"one with a type":                      {"TypeScript", "class A {\n  public readonly wanted: Handler<B> = (a) => {\n    §\n  };\n}", "A.wanted"},
		"a private one":                        {"JavaScript", "class A {\n  static #wanted = a => {\n    §\n  };\n}", "A.wanted"},
		"one whose list has lines":             {"TypeScript", "class A {\n  b = 1;\n  wanted = (\n    a: B,\n  ): void => {\n    §\n  };\n}", "A.wanted"},
		"a method whose list has lines":        {"TypeScript", "class A {\n  wanted(\n    a: B,\n  ): Promise<void> {\n    §\n  }\n}", "A.wanted"},
		"a property of an object":              {"JavaScript", "const api = {\n  wanted: async function (a) {\n    §\n  },\n};", "wanted"},
		"an exported function":                 {"JavaScript", "exports.wanted = function (a) {\n  §\n};", "wanted"},
		"a method of a prototype":              {"JavaScript", "Order.prototype.wanted = function () {\n  §\n};", "Order.wanted"},
		"a comment in column 0":                {"TypeScript", "class A {\n  wanted(a: B): void {\n    c();\n// d();\n    §\n  }\n}", "A.wanted"},
		"the comment itself":                   {"TypeScript", "class A {\n  wanted(a: B): void {\n    c();\n// d();§\n    e();\n  }\n}", "A.wanted"},
		"a comment above a method":             {"Java", "class A {\n  void b() {\n  }\n\n  // §\n  void wanted() {\n  }\n}", "A"},
		"a label":                              {"C", "int wanted(int a)\n{\n\tb();\nout:§\n\treturn c;\n}", "wanted"},
		"behind a label":                       {"C", "int wanted(int a)\n{\n\tb();\nout:\n\treturn §c;\n}", "wanted"},
		"behind the preprocessor":              {"C", "int wanted(int a)\n{\n#if B\n\tb();\n#endif\n\treturn §c;\n}", "wanted"},
		"text of a here-document":              {"Bash", "wanted() {\n  cat <<EOF\n§text\nEOF\n}", "wanted"},
		"text of a template":                   {"TypeScript", "function wanted() {\n  return `\nclass A {§\n  b() {\n`;\n}", "wanted"},
		"behind the text":                      {"TypeScript", "function wanted() {\n  const a = `\nclass A {\n  b() {\n`;\n  §\n}", "wanted"},
		"behind a docstring":                   {"Python", "class A:\n    def wanted(self):\n        \"\"\"Text.\n\nclass B:\n\"\"\"\n        §x = 1", "A.wanted"},
		"a method of C++":                      {"C++", "int Order::wanted(int a) {\n  §\n}", "Order.wanted"},
		"a class of C++":                       {"C++", "class Order {\npublic:\n    int §a;\n};", "Order"},
		"an enumeration of C++":                {"C++", "enum class Color : int {\n    §RED,\n};", "Color"},
		"a function with a struct":             {"C", "struct order *wanted(struct order *a) {\n  §\n}", "wanted"},
		"an implementation of a trait":         {"Rust", "impl<T: A> fmt::Display for Order<T> {\n    fn wanted(&self) {\n        §\n    }\n}", "Order.wanted"},
		"a function with words":                {"Rust", "pub(crate) unsafe extern \"C\" fn wanted() {\n    §\n}", "wanted"},
		"a generic function":                   {"Kotlin", "fun <T> wanted(a: T) {\n    §\n}", "wanted"},
		"an extension":                         {"Kotlin", "fun Order.wanted(): Int {\n    §\n}", "Order.wanted"},
		"a block of Kotlin":                    {"Kotlin", "class A {\n    fun wanted() {\n        launch(b) {\n            §\n        }\n    }\n}", "A.wanted"},
		"a constructor":                        {"Swift", "class A {\n    init?(b: Int) {\n        §\n    }\n}", "A.init"},
		"a method of Lua":                      {"Lua", "function Order:wanted(a)\n  §\nend", "Order.wanted"},
		"a method of PHP":                      {"PHP", "<?php\nfinal class A\n{\n    public static function &wanted(array $a): array\n    {\n        §\n    }\n}", "A.wanted"},
		"a method of C#":                       {"C#", "public sealed class A\n{\n    public async Task<int> Wanted(\n        int b)\n    {\n        §\n    }\n}", "A.Wanted"},
		"an annotated method":                  {"Java", "class A {\n    @Override\n    public <T> List<T> wanted(T a,\n            T b) throws C {\n        §\n    }\n}", "A.wanted"},
		"a class method":                       {"Ruby", "class A\n  def self.wanted(b)\n    §\n  end\nend", "A.wanted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after, _ := strings.Cut(tt.text, "§")
			line := 1 + strings.Count(before, "\n")
			s, ok := Read(tt.language, []byte(before+after)).Enclosing(line)
			if s.Name != tt.want || ok != (tt.want != "") {
				t.Errorf("%+v, %v, want %q in line %d\n%s", s, ok, tt.want, line, numbered(before+after))
			}
		})
	}
}
