package expect

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// suites is the root of JUnit XML.
type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Suite   suite    `xml:"testsuite"`
}

// suite is the test suite of a rules file.
type suite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Cases    []testCase `xml:"testcase"`
}

// testCase is the result of a rule.
type testCase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	File    string   `xml:"file,attr"`
	Line    int      `xml:"line,attr"`
	Failure *failure `xml:"failure"`
}

// failure is the reason why a rule does not hold, and the timeline.
type failure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteTo writes the verdict to w as JUnit XML, with one test case for each rule. The timeline is in the first failure.
func (v *Verdict) WriteTo(w io.Writer) (int64, error) {
	out := suites{Suite: suite{Name: v.Rules.File, Tests: len(v.Results)}}
	lines := v.Failures()
	for i := range v.Results {
		r := &v.Results[i]
		one := testCase{Class: v.Rules.File, Name: fmt.Sprintf("line %d: %v", r.Rule.Line, r.Rule), File: v.Rules.File, Line: r.Rule.Line}
		if r.Fault != "" {
			one.Failure = &failure{Message: r.Fault, Text: lines[out.Suite.Failures]}
			if out.Suite.Failures++; out.Suite.Failures == 1 {
				one.Failure.Text += "\n" + v.Timeline()
			}
		}
		out.Suite.Cases = append(out.Suite.Cases, one)
	}
	text, err := xml.MarshalIndent(&out, "", "  ")
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(w, strings.NewReader(xml.Header+string(text)+"\n"))
	return n, err
}
