package cilog

import "github.com/assay-dev/assay/internal/regexp"

// role is the meaning of a line that fits a pattern.
type role int

const (
	starts role = iota // the tool's output begins or goes on; an open failure ends
	fails              // a failure begins
	alone              // a failure begins, unless one is open, which it completes
	adds               // completes the open failure
	names              // names a file for failures below it
	keeps              // a summary that is kept without beginning a failure; an open failure ends
)

// pattern is one form of a line in a tool's output.
type pattern struct {
	tool   string // for adds: all tools whose failures it completes
	role   role
	word   string // a part of every such line, which is quick to look for
	before int    // lines that are kept before it, at most [maxBefore]
	after  int    // lines that are kept after it
	rule   bool   // the name is a rule, which many failures share
	within bool   // only where the tool's output was the last seen
	logs   bool   // also lines that report no failure have this form, so that a later line of the failure can be the better one
	// re has the groups name, file, line and msg of a [Failure].
	re *regexp.Regexp
}

// outer names the tools that run others.
const outer = "make, docker build, bazel, npm, shell"

var re = regexp.MustCompile

// patterns are the forms of lines of all tools. The first one that fits decides, so exact forms stand before general
// ones. The forms are those of the logs in testdata, which the tools wrote, and of the tools' documentation.
var patterns = []pattern{
	{tool: "go test", role: starts, word: "=== ", re: re(`^\s*=== (?:RUN|CONT|PAUSE|NAME)\s+(?P<name>\S*)`)},
	{tool: "go test", role: starts, word: "--- ", re: re(`^\s*--- (?:PASS|SKIP): \S+ \(`)},
	{tool: "go test", role: fails, word: "FAIL: ", before: maxBefore, after: 14,
		re: re(`^\s*(?:---|===) FAIL: (?:\S+ )?(?P<name>\S+) \(`)},
	{tool: "go test", role: adds, word: ".go:", after: 6, logs: true,
		re: re(`^\s+(?:\w+: )?(?P<file>[\w./-]+_test\.go):(?P<line>\d+):\s*(?P<msg>.*)`)},
	{tool: "go test", role: fails, word: "WARNING: DATA RACE", after: 30, re: re(`^(?P<msg>WARNING: DATA RACE)`)},
	{tool: "go test", role: alone, word: "panic: ", after: 25, re: re(`^panic: (?P<msg>.*)`)},
	{tool: "go test", role: adds, word: ".go:", // frames of the standard library, which are not where a test failed
		re: re(`^\s+(?:/\S+/src/)?(?:(?:testing|runtime|reflect|sync|time|os|io|fmt|internal/\w+)/\w+|_testmain)\.go:\d+ \+0x`)},
	{tool: "go test", role: adds, word: ".go:", re: re(`^\s+(?P<file>[\w./@-]+\.go):(?P<line>\d+) \+0x`)},
	{tool: "go test", role: keeps, word: "FAIL\t", re: re(`^FAIL\t\S+`)},
	{tool: "golangci-lint", role: fails, word: ".go:", rule: true, after: 2,
		re: re(`^(?P<file>[\w./-]+\.go):(?P<line>\d+):(?:\d+:)? (?P<msg>.+) \((?P<name>[a-z][a-z0-9]+)\)$`)},
	{tool: "golangci-lint", role: keeps, word: " issue", re: re(`^\d+ issues?:$`)},
	{tool: "go test", role: fails, word: ".go:", before: 1, re: re(`^(?:vet: )?(?P<file>[\w./-]+\.go):(?P<line>\d+):\d+: (?P<msg>.+)`)},
	{tool: "go test", role: starts, word: "ok  \t", re: re(`^ok  \t\S+`)},

	{tool: "pytest", role: starts, word: "=====", re: re(`^=+ (?:test session starts|FAILURES|ERRORS|warnings summary) =+`)},
	{tool: "pytest", role: keeps, word: "=====", re: re(`^=+ (?:short test summary info|.*\d+ (?:failed|error).*) =+`)},
	{tool: "pytest", role: fails, word: "____", after: 14, re: re(`^_{3,} (?:ERROR (?:at \w+ of|collecting) )?(?P<name>\S.*?) _{3,}$`)},
	{tool: "pytest", role: adds, word: "E  ", after: 4, re: re(`^E\s{2,}(?P<msg>\S.*)`)},
	{tool: "pytest", role: adds, word: ".py:", re: re(`^(?P<file>[\w./-]+\.py):(?P<line>\d+): \w`)},
	{tool: "pytest", role: fails, word: ".py:",
		re: re(`^(?P<file>[\w./-]+\.py):(?P<line>\d+): (?P<msg>(?:[\w.]*(?:Error|Exception)|Failed)\b.*)`)},
	{tool: "mypy", role: fails, word: " error: ", rule: true,
		re: re(`^(?P<file>\S+\.pyi?):(?P<line>\d+):(?:\d+:)? error: (?P<msg>.+?)(?:\s+\[(?P<name>[a-z-]+)\])?$`)},
	{tool: "mypy", role: keeps, word: "Found ", re: re(`^Found \d+ errors? in \d+ files? \(checked`)},
	{tool: "pytest", role: fails, word: ".py",
		re: re(`^(?:FAILED|ERROR) (?P<file>[^:\s]+\.py)(?:::(?P<name>\S+))?(?: - (?P<msg>.*))?`)},
	{tool: "unittest", role: fails, word: ": ", before: 1, after: 20, re: re(`^(?:FAIL|ERROR): (?P<name>\w+) \([\w.]+\)`)},
	{tool: "unittest", role: keeps, word: "FAILED (", re: re(`^FAILED \((?:failures|errors)=`)},
	{tool: "unittest, pytest, python", role: adds, word: "File \"", re: re(`^  File "(?P<file>[^"]+)", line (?P<line>\d+), in`)},
	{tool: "python", role: alone, word: "Traceback (", before: 2, after: 25, re: re(`^Traceback \(most recent call last\):`)},
	{tool: "unittest, python", role: adds, word: "r", re: re(`^(?P<msg>[\w.]*(?:Error|Exception|Failure|Interrupt|Exit)\b.*)`)},

	{tool: "vitest", role: starts, word: "RUN", re: re(`^\s*RUN\s+v\d`)},
	{tool: "vitest", role: fails, word: "FAIL", after: 22,
		re: re(`^\s*FAIL\s+(?:\|\S+\| )?(?P<file>\S+\.[cm]?[jt]sx?)(?: \[.*\])? > (?P<name>.+)$`)},
	{tool: "vitest", role: keeps, word: "Test", re: re(`^\s*(?:Test Files|Tests)\s+\d+ failed`)},
	{tool: "vitest", role: adds, word: "❯", re: re(`^\s*❯ (?:\S+ )?(?P<file>[\w./@-]+):(?P<line>\d+):\d+`)},
	{tool: "jest", role: starts, word: "PASS", re: re(`^\s*PASS\s+\S+\.[cm]?[jt]sx?`)},
	{tool: "jest", role: names, word: "FAIL", re: re(`^\s*FAIL\s+(?:\S+ )?(?P<file>\S+\.[cm]?[jt]sx?)`)},
	{tool: "jest", role: fails, word: "● ", after: 24, re: re(`^\s+● (?P<name>[^●]*›.*|Test suite failed to run|[^C].*)$`)},
	{tool: "jest", role: adds, word: "at ", re: re(`^\s+at (?:.*\()?(?P<file>[^()\s]+\.[cm]?[jt]sx?):(?P<line>\d+):\d+\)?$`)},
	{tool: "jest", role: keeps, word: "Test", re: re(`^(?:Tests|Test Suites):\s+\d+ failed`)},
	{tool: "mocha", role: keeps, word: " failing", re: re(`^\s+\d+ failing`)},
	{tool: "mocha", role: fails, word: ") ", after: 16, within: true, re: re(`^\s+\d+\) (?P<name>.+?):?$`)},
	{tool: "mocha, node", role: adds, word: "at ",
		re: re(`^\s+at (?:.*\()?(?:file://)?(?P<file>[^()\s]+\.[cm]?[jt]sx?):(?P<line>\d+):\d+\)?$`)},
	{tool: "node", role: starts, word: "✔ ", re: re(`^\s*✔ .+ \([\d.]+m?s\)$`)},
	{tool: "node", role: fails, word: "✖ ", after: 24, re: re(`^\s*✖ (?P<name>.+) \([\d.]+m?s\)$`)},
	{tool: "node", role: fails, word: "not ok ", after: 20, re: re(`^\s*not ok \d+ (?:- )?(?P<name>.+)$`)},
	{tool: "node", role: adds, word: "location: ", re: re(`^\s+location: '(?P<file>[^']+?):(?P<line>\d+):\d+'$`)},
	{tool: "node", role: adds, word: "error: '", re: re(`^\s+error: '(?P<msg>.+)'$`)},
	{tool: "node", role: adds, word: "  ", re: re(`^\s+(?:---|(?:duration_ms|failureType): .*|error: \|-)$`)},
	{tool: "node", role: names, word: "s:", re: re(`^(?:file://)?(?P<file>/\S+\.[cm]?[jt]s):(?P<line>\d+)$`)},
	{tool: "node", role: alone, word: "rror", after: 8, within: true, re: re(`^(?:Uncaught )?(?P<msg>(?:[A-Z]\w*)?Error(?: \[\w+\])?: .+)`)},
	{tool: "playwright", role: fails, word: "] › ", after: 24,
		re: re(`^\s+\d+\) \[[^\]]+\] › (?P<file>[^\s:]+):(?P<line>\d+):\d+ › (?P<name>.+?)[ ─]*$`)},
	{tool: "playwright", role: adds, word: "Error: ", re: re(`^\s+(?P<msg>(?:[A-Z]\w*)?Error: .+)`)},
	{tool: "mocha, vitest, jest, node", role: adds, word: "r", re: re(`^\s*(?P<msg>(?:[\w.]*Error|expect\().*)`)},
	{tool: "tsc", role: fails, word: "error TS", after: 2,
		re: re(`^(?:Error: )?(?P<file>[^\s(]+\.[cm]?tsx?)[(:](?P<line>\d+)[,:]\d+(?:\):| -) error (?P<msg>TS\d+: .+)`)},
	{tool: "tsc", role: keeps, word: "Found ", re: re(`^Found \d+ errors?`)},
	{tool: "eslint", role: names, word: "/", re: re(`^(?P<file>(?:/|[A-Z]:\\|\./)?[\w./\\@-]+\.(?:[cm]?[jt]sx?|vue|svelte|json))$`)},
	{tool: "eslint", role: fails, word: "error", rule: true, within: true,
		re: re(`^\s+(?P<line>\d+):\d+\s+error\s+(?P<msg>.+?)(?:\s{2,}(?P<name>\S+))?$`)},
	{tool: "eslint", role: keeps, word: "problem", re: re(`^\s*✖ \d+ problems? \(`)},

	{tool: "surefire", role: fails, word: "<<< ", after: 12,
		re: re(`^(?:\[ERROR\]\s+)?(?P<name>[\w.$\[\]]+)(?:\([\w.$]+\))?\s+(?:--\s+)?Time elapsed: .*<<< (?:FAILURE|ERROR)!`)},
	{tool: "surefire", role: keeps, word: "Tests run:", re: re(`^\[ERROR\] Tests run: \d+, Failures: `)},
	{tool: "surefire", role: fails, word: "[ERROR]",
		re: re(`^\[ERROR\] (?P<file>/?\S+\.(?:java|kt|scala)):\[(?P<line>\d+)(?:,\d+)?\] (?P<msg>.+)`)},
	{tool: "surefire", role: keeps, word: "[ERROR]", re: re(`^\[ERROR\]\s+\S`)},
	{tool: "gradle", role: fails, word: " FAILED", after: 12, re: re(`^(?P<name>[^>\s][^>]* > .+) FAILED$`)},
	{tool: "gradle", role: fails, word: "error: ", after: 4, re: re(`^(?P<file>/?\S+\.java):(?P<line>\d+): error: (?P<msg>.+)`)},
	{tool: "gradle", role: fails, word: "e: ", re: re(`^e: (?:file://)?(?P<file>\S+?\.kts?):(?P<line>\d+):\d+:? (?P<msg>.+)`)},
	{tool: "gradle", role: alone, word: "* What went wrong:", after: 6, re: re(`^\* What went wrong:$`)},
	{tool: "gradle", role: keeps, word: " FAILED", re: re(`^> Task :\S+ FAILED$`)},
	{tool: "gradle, surefire", role: adds, word: "(",
		re: re(`^\s+(?:at )?[\w.$<>/]+.*\((?P<file>\w+\.(?:java|kt|scala)):(?P<line>\d+)\)`)},
	{tool: "gradle, surefire", role: adds, word: ".java:", re: re(`^\s+(?P<msg>\S.*) at (?P<file>\w+\.(?:java|kt)):(?P<line>\d+)$`)},
	{tool: "gradle, surefire", role: adds, word: "r", re: re(`^\s*(?P<msg>[\w.]+(?:Error|Exception|Failure|FailedError)\b.*)`)},

	{tool: "cargo", role: starts, word: "ing ", re: re(`^\s+(?:Compiling|Running|Checking|Doc-tests) \S+`)},
	{tool: "cargo", role: fails, word: "error[E", rule: true, after: 12, re: re(`^error(?P<name>\[E\d+\]): (?P<msg>.+)`)},
	{tool: "cargo", role: fails, word: "---- ", after: 10, re: re(`^---- (?P<name>\S+)(?: .*)? stdout ----`)},
	{tool: "cargo", role: fails, word: "FAIL [", after: 16, re: re(`^\s+FAIL \[\s*[\d.]+s\] (?P<name>\S+ \S+)`)}, // cargo nextest
	{tool: "cargo", role: adds, word: "std", re: re(`^\s+std(?:err|out) ─`)},
	{tool: "cargo", role: adds, word: "panicked at", after: 5,
		re: re(`^\s*thread '.*' (?:\(\d+\) )?panicked at (?:'(?P<msg>.*)', )?(?P<file>[^:',]+):(?P<line>\d+)`)},
	{tool: "cargo", role: alone, word: "error: ", after: 10, within: true, re: re(`^error: (?P<msg>.+)`)},
	{tool: "cargo", role: keeps, word: "test result: FAILED", re: re(`^test result: FAILED`)},
	{tool: "cargo, ruff", role: adds, word: "--> ", re: re(`^\s*--> (?P<file>[^:]+):(?P<line>\d+):\d+`)},
	{tool: "dotnet", role: fails, word: "): error ",
		re: re(`^\s*(?P<file>\S[^(]*)\((?P<line>\d+),\d+\): error (?P<msg>[A-Z]+\d+: .+?)(?: \[.*\])?$`)},
	{tool: "dotnet", role: fails, word: " [", after: 12, re: re(`^\s+(?:Failed|X) (?P<name>\S.*?) \[(?:< )?\d.*\]$`)},
	{tool: "dotnet", role: adds, word: ":line ", re: re(`^\s+at .* in (?P<file>\S+):line (?P<line>\d+)`)},
	{tool: "dotnet", role: adds, word: "Assert", re: re(`^\s+(?P<msg>Assert\S* .*)`)},
	{tool: "dotnet", role: keeps, word: "Failed!", re: re(`^(?:Failed!|Test Run Failed)`)},

	{tool: "rspec", role: starts, word: "Failures:", re: re(`^Failures:$`)},
	{tool: "rspec", role: fails, word: ") ", after: 12, within: true, re: re(`^\s+\d+\) (?P<name>.+)`)},
	{tool: "rspec", role: adds, word: "Failure/Error:", after: 6, re: re(`Failure/Error: (?P<msg>.+)`)},
	{tool: "rspec", role: adds, word: "# ./", re: re(`^\s+# \./(?P<file>[^:]+):(?P<line>\d+)`)},
	{tool: "rspec", role: keeps, word: "rspec ./", re: re(`^rspec \./\S+:\d+ #`)},
	{tool: "rspec", role: keeps, word: " failure", re: re(`^\d+ examples?, [1-9]\d* failures?`)},
	{tool: "minitest", role: fails, word: ".rb:", before: 1, after: 8,
		re: re(`^(?P<name>[\w:]+#\w+) \[(?P<file>\S+\.rb):(?P<line>\d+)\]:`)},
	{tool: "exunit", role: fails, word: ") test ", after: 14, re: re(`^\s+\d+\) test (?P<name>.+ \([\w.]+\))$`)},
	{tool: "exunit", role: adds, word: ".exs:", re: re(`^\s+(?P<file>\S+\.exs):(?P<line>\d+)`)},
	{tool: "phpunit", role: keeps, word: "There w", re: re(`^There (?:was|were) \d+ (?:failure|error)s?:`)},
	{tool: "phpunit", role: fails, word: ") ", after: 10, within: true, re: re(`^\d+\) (?P<name>\S+)`)},
	{tool: "phpunit", role: adds, word: ".php:", re: re(`^(?P<file>\S+\.php):(?P<line>\d+)$`)},
	{tool: "phpunit", role: keeps, word: "ailures: ", re: re(`^Tests: \d+, Assertions: .*(?:Failures|Errors): [1-9]`)},

	{tool: "ruff", role: fails, word: ".py", rule: true,
		re: re(`^(?P<file>\S+\.(?:pyi?|ipynb)):(?:cell \d+:)?(?P<line>\d+):\d+: (?P<name>[A-Z]+\d+) (?P<msg>.+)`)},
	{tool: "ruff", role: fails, word: " ", rule: true, after: 8, re: re(`^(?P<name>[A-Z]{1,4}\d{3,4}) (?:\[\*\] )?(?P<msg>\S.+)`)},
	{tool: "ruff", role: keeps, word: "Found ", re: re(`^Found \d+ errors?\.`)},
	{tool: "terraform", role: fails, word: "Error: ", before: 1, after: 12, re: re(`^[│|╷]\s*Error: (?P<msg>.+)`)},
	{tool: "terraform", role: adds, word: "on ", re: re(`^[│|]\s+(?:with .*, )?on (?P<file>\S+) line (?P<line>\d+)`)},
	{tool: "bazel", role: fails, word: "ERROR: ", after: 8, re: re(`^ERROR: (?P<file>/?[^\s:]+):(?P<line>\d+):\d+: (?P<msg>.+)`)},
	{tool: "bazel", role: fails, word: "//", after: 8, re: re(`^(?:FAIL: )?(?P<name>//\S+)\s+(?:FAILED|TIMEOUT|NO STATUS|\(see )`)},
	{tool: "docker build", role: fails, word: "ERROR: ", before: 8, after: 2,
		re: re(`^ERROR: (?P<msg>(?:failed to (?:build|solve|compute)|process ").*)`)},
	{tool: "docker build", role: fails, word: "non-zero code", before: 8,
		re: re(`^(?P<msg>The command '.+' returned a non-zero code: \d+)`)},
	{tool: "docker build", role: adds, word: "ockerfile:", after: 10, re: re(`^(?P<file>\S*Dockerfile\S*):(?P<line>\d+)$`)},
	{tool: "cc", role: fails, word: "error: ", after: 6,
		re: re(`^(?P<file>[^\s:]+\.(?:c|cc|cpp|cxx|h|hh|hpp|m|mm|swift)):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<msg>.+)`)},
	{tool: "cc", role: fails, word: "undefined reference", re: re(`^(?:\S+: )*\S+: (?P<msg>undefined reference to .+)`)},
	{tool: "cc", role: fails, word: ": Assertion", before: 2, after: 2,
		re: re(`^(?:\S+: )?(?P<file>[^\s:]+\.(?:c|cc|cpp|cxx|h|hh|hpp)):(?P<line>\d+): .*?: (?P<msg>Assertion.* failed.*)`)},
	{tool: "googletest", role: fails, word: ": Failure", before: 1, after: 10,
		re: re(`^(?P<file>[^\s:]+\.(?:c|cc|cpp|cxx|h|hh|hpp)):(?P<line>\d+): Failure$`)},
	{tool: "googletest", role: keeps, word: "FAILED", re: re(`^\[  FAILED  \] |\*\*\*Failed\s+\d`)},
	{tool: "npm", role: fails, word: "npm ", after: 10, re: re(`^npm (?:error|ERR!) code (?P<name>[A-Z][A-Z_]+)`)},
	{tool: "npm", role: adds, word: "npm ", after: 2, re: re(`^npm (?:error|ERR!) (?P<msg>[A-Z].*\s.+)`)},
	{tool: "npm", role: fails, word: "ERR_PNPM_", after: 8, re: re(`^\s*(?P<name>ERR_PNPM_\w+)\s+(?P<msg>.+)`)},
	{tool: "shell", role: alone, word: ": line ", before: 4, after: 2,
		re: re(`^(?:(?P<file>[\w-]*[./][\w./-]*)|\w+): line (?P<line>\d+): (?P<msg>.+)`)},
	{tool: "make", role: fails, word: "make", before: 10,
		re: re(`^g?make(?:\[\d+\])?: \*\*\* (?:\[(?:(?P<file>[^\]:]+):(?P<line>\d+): )?(?P<name>[^\]]+)\] )?(?P<msg>.+)`)},
}
