package cilog_test

// truths are the expected excerpts, by the name of the log.
var truths = map[string]truth{
	"go-test":         {tool: "go test", name: "TestHalf/four", file: "half_test.go", line: 6, message: "Half(4) = 1, want 2", keep: []string{"FAIL\texample.com/half"}},
	"go-test-verbose": {tool: "go test", name: "TestHalf/four", file: "half_test.go", line: 6, message: "Half(4) = 1, want 2", keep: []string{"--- FAIL: TestHalf/four"}},
	"go-test-panic":   {tool: "go test", name: "TestPanics", message: "assignment to entry in nil map", keep: []string{"half_test.go:9"}},
	"go-build":        {tool: "go test", file: "./broken.go", line: 2, message: "cannot use", keep: []string{"[build failed]"}},
	"unittest":        {tool: "unittest", name: "test_half", file: "/home/runner/work/half/py/test_half.py", line: 5, message: "AssertionError: 1 != 2", keep: []string{"FAILED (failures=1, errors=1)"}},
	"python":          {tool: "python", file: "/home/runner/work/half/py/script.py", line: 3, message: "the port must be a number", keep: []string{"raise ValueError"}},
	"pytest":          {tool: "pytest", name: "HalfTest.test_half", file: "test_half.py", line: 5, message: "AssertionError: 1 != 2", keep: []string{"self.assertEqual(half(4), 2)"}},
	"jest":            {tool: "jest", name: "half › of four", file: "jt/half.test.js", line: 3, message: "expect(received).toBe(expected)", keep: []string{"Received: 1.3333333333333333"}},
	"vitest":          {tool: "vitest", name: "half > of four", file: "vt/half.test.ts", line: 2, message: "expected 1.3333333333333333 to be 2", keep: []string{"+ 1.3333333333333333"}},
	"vitest-colour":   {tool: "vitest", name: "half > of four", file: "vt/half.test.ts", line: 2, message: "expected 1.3333333333333333 to be 2", keep: []string{"+ 1.3333333333333333"}},
	"mocha":           {tool: "mocha", name: "half", file: "test/half.js", line: 4, message: "1.3333333333333333 == 2", keep: []string{"divides four:"}},
	"tsc":             {tool: "tsc", file: "bad.ts", line: 2, message: "Property 'lenght' does not exist", keep: []string{"TS2322"}},
	"tsc-pretty":      {tool: "tsc", file: "bad.ts", line: 2, message: "Property 'lenght' does not exist", keep: []string{"Found 2 errors"}},
	"eslint":          {tool: "eslint", name: "no-cond-assign", file: "/home/runner/work/half/js/lint.js", line: 2, message: "instead saw an assignment", keep: []string{"js/lint.js", "✖ 5 problems"}},
	"cargo-test":      {tool: "cargo", name: "tests::divides_four", file: "src/lib.rs", line: 6, message: "half of four", keep: []string{"left: 1", "right: 2"}},
	"cargo-build":     {tool: "cargo", name: "[E0308]", file: "src/lib.rs", line: 1, message: "mismatched types", keep: []string{"expected `String`"}},
	"make-cc":         {tool: "cc", file: "half.c", line: 2, message: "tow", keep: []string{"make: *** [Makefile:3: half.o] Error 1"}},
	"make":            {tool: "make", name: "test", file: "Makefile", line: 5, message: "Error 3", keep: []string{"running"}},
	"make-link":       {tool: "cc", message: "undefined reference to `half'", keep: []string{"make: *** [Makefile:7: link] Error 1"}},
	"terraform":       {tool: "terraform", file: "main.tf", line: 2, message: "Reference to undeclared input variable", keep: []string{"var.missing"}},

	"golangci-lint":  {tool: "golangci-lint", name: "errcheck", file: "store/db.go", line: 41, message: "Error return value of `rows.Close` is not checked", keep: []string{"defer rows.Close()"}},
	"surefire":       {tool: "surefire", name: "com.example.HalfTest.divides", file: "HalfTest.java", line: 12, message: "expected: <2> but was: <1>", keep: []string{"BUILD FAILURE"}},
	"maven-compile":  {tool: "surefire", file: "/src/main/java/Half.java", line: 7, message: "cannot find symbol", keep: []string{"symbol:   variable tow"}},
	"gradle":         {tool: "gradle", name: "HalfTest > divides()", file: "HalfTest.java", line: 12, message: "expected: <2> but was: <1>", keep: []string{"There were failing tests"}},
	"kotlin":         {tool: "gradle", file: "/app/src/Half.kt", line: 3, message: "Unresolved reference: tow", keep: []string{"compileKotlin FAILED"}},
	"dotnet-test":    {tool: "dotnet", name: "HalfTests.Divides", file: "/src/HalfTests.cs", line: 9, message: "Assert.Equal() Failure", keep: []string{"Actual:   1"}},
	"dotnet-build":   {tool: "dotnet", file: "/src/Half.cs", line: 5, message: "CS0103: The name 'tow' does not exist", keep: []string{"CS0103"}},
	"rspec":          {tool: "rspec", name: "Half divides four", file: "spec/half_spec.rb", line: 5, message: "expect(half(4)).to eq(2)", keep: []string{"got: 1"}},
	"phpunit":        {tool: "phpunit", name: "HalfTest::testDivides", file: "/app/tests/HalfTest.php", line: 10, message: "Failed asserting that 1 matches expected 2.", keep: []string{"Tests: 2, Assertions: 2, Failures: 1."}},
	"ruff-concise":   {tool: "ruff", name: "F821", file: "lint.py", line: 4, message: "Undefined name", keep: []string{"Found 3 errors."}},
	"ruff":           {tool: "ruff", name: "F821", file: "lint.py", line: 4, message: "Undefined name", keep: []string{"print(undefined_name)"}},
	"docker-build":   {tool: "docker build", file: "Dockerfile", line: 4, message: "process \"/bin/sh -c ./dist.sh\" did not complete", keep: []string{"./dist.sh: not found"}},
	"docker-go-test": {tool: "go test", name: "TestHalf", file: "half_test.go", line: 6, message: "Half(4) = 1, want 2", keep: []string{"ERROR: failed to build"}},
	"bazel":          {tool: "bazel", name: "//half:half_test", message: "exit code", keep: []string{"/home/runner/.cache/bazel/test.log"}},
	"unknown":        {keep: []string{"quux: the manifest has no version", "Error: step 7 of 9 broke"}},
}

// written are logs after the documentation of tools that were not at hand.
var written = map[string]string{
	"golangci-lint": "level=info msg=\"running\"\nstore/db.go:41:18: Error return value of `rows.Close` is not checked (errcheck)\n\tdefer rows.Close()\n\t                ^\n1 issues:\n* errcheck: 1\n",
	"surefire": "[INFO] Running com.example.HalfTest\n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in com.example.HalfTest\n" +
		"[ERROR] com.example.HalfTest.divides -- Time elapsed: 0.01 s <<< FAILURE!\norg.opentest4j.AssertionFailedError: expected: <2> but was: <1>\n" +
		"\tat org.junit.jupiter.api.AssertEquals.failNotEqual(AssertEquals.java:197)\n\tat com.example.HalfTest.divides(HalfTest.java:12)\n\n" +
		"[ERROR] Failures: \n[ERROR]   HalfTest.divides:12 expected: <2> but was: <1>\n[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin\n",
	"maven-compile": "[INFO] Compiling 1 source file\n[ERROR] COMPILATION ERROR : \n[ERROR] /src/main/java/Half.java:[7,20] cannot find symbol\n[ERROR]   symbol:   variable tow\n[INFO] BUILD FAILURE\n",
	"gradle": "> Task :compileJava\n\nHalfTest > divides() FAILED\n    org.opentest4j.AssertionFailedError: expected: <2> but was: <1>\n        at app//com.example.HalfTest.divides(HalfTest.java:12)\n\n" +
		"2 tests completed, 1 failed\n\n> Task :test FAILED\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':test'.\n> There were failing tests. See the report\n",
	"kotlin":       "> Task :compileKotlin FAILED\ne: file:///app/src/Half.kt:3:21 Unresolved reference: tow\n\nFAILURE: Build failed with an exception.\n",
	"dotnet-test":  "  Failed HalfTests.Divides [12 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\nExpected: 2\nActual:   1\n  Stack Trace:\n     at HalfTests.Divides() in /src/HalfTests.cs:line 9\n\nFailed!  - Failed:     1, Passed:     1\n",
	"dotnet-build": "  Determining projects to restore...\n/src/Half.cs(5,38): error CS0103: The name 'tow' does not exist in the current context [/src/half.csproj]\n\nBuild FAILED.\n",
	"rspec": "Failures:\n\n  1) Half divides four\n     Failure/Error: expect(half(4)).to eq(2)\n\n       expected: 2\n            got: 1\n\n       (compared using ==)\n     # ./spec/half_spec.rb:5:in `block (2 levels) in <top (required)>'\n\n" +
		"Finished in 0.01 seconds\n2 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/half_spec.rb:4 # Half divides four\n",
	"phpunit":      "PHPUnit 11.0.0 by Sebastian Bergmann and contributors.\n\nThere was 1 failure:\n\n1) HalfTest::testDivides\nFailed asserting that 1 matches expected 2.\n\n/app/tests/HalfTest.php:10\n\nFAILURES!\nTests: 2, Assertions: 2, Failures: 1.\n",
	"ruff-concise": "lint.py:1:8: F401 [*] `os` imported but unused\nlint.py:2:8: F401 [*] `sys` imported but unused\nlint.py:4:7: F821 Undefined name `undefined_name`\nFound 3 errors.\n[*] 2 fixable with the `--fix` option.\n",
	"ruff":         "F821 Undefined name `undefined_name`\n --> lint.py:4:7\n  |\n4 | print(undefined_name)\n  |       ^^^^^^^^^^^^^^\n  |\n\nFound 1 error.\n",
	"docker-build": "#8 [4/4] RUN ./dist.sh\n#8 0.312 /bin/sh: ./dist.sh: not found\n#8 ERROR: process \"/bin/sh -c ./dist.sh\" did not complete successfully: exit code: 2\n------\n > [4/4] RUN ./dist.sh:\n0.312 /bin/sh: ./dist.sh: not found\n------\n" +
		"Dockerfile:4\n--------------------\n   2 |     WORKDIR /app\n   3 |     COPY . .\n   4 | >>> RUN ./dist.sh\n--------------------\nERROR: failed to build: failed to solve: process \"/bin/sh -c ./dist.sh\" did not complete successfully: exit code: 2\n",
	"docker-go-test": "#9 [5/5] RUN go test ./...\n#9 4.120 --- FAIL: TestHalf (0.00s)\n#9 4.121     half_test.go:6: Half(4) = 1, want 2\n#9 4.122 FAIL\n#9 ERROR: process \"/bin/sh -c go test ./...\" did not complete successfully: exit code: 1\nERROR: failed to build: failed to solve\n",
	"bazel":          "INFO: Analyzed target //half:half_test (0 packages loaded).\nFAIL: //half:half_test (see /home/runner/.cache/bazel/test.log)\nINFO: exit code 1\nERROR: //half:half_test failed: 1 test failed\nExecuted 1 out of 1 test: 1 fails locally.\n",
	"unknown":        "quux: begin\nquux: the manifest has no version\nError: step 7 of 9 broke\n  in stage pack\n",
}
