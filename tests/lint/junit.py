"""Validates a JUnit report with a schema validator, and compares it with the JSON report of the same run.

usage: junit.py SCHEMA [REPORT.xml REPORT.json]...
"""

import json
import sys
import xml.etree.ElementTree as tree

import xmlschema


def main(schema, *reports):
    validator = xmlschema.XMLSchema(schema)
    checked = 0
    for report, other in zip(reports[::2], reports[1::2], strict=True):
        for error in validator.iter_errors(report):
            sys.exit(f"{report}: {error.path}: {error.reason}")
        with open(other, encoding="utf-8") as file:
            findings = json.load(file)["findings"]
        root = tree.parse(report).getroot()
        cases = root.findall("testsuite/testcase")
        failed = [case for case in cases if len(case)]
        assert len(failed) == len(findings), (len(failed), len(findings))
        assert len(cases) == max(1, len(findings)), len(cases)
        for node in [root, *root]:
            own = node.findall(".//testcase")
            assert int(node.get("tests")) == len(own), node.attrib
            bad = len(node.findall(".//failure")), len(node.findall(".//error"))
            assert (int(node.get("failures")), int(node.get("errors"))) == bad, node.attrib
        for case, finding in zip(failed, findings, strict=True):
            place = f"{finding['file']}:{finding['line']}:{finding['column']}"
            assert case.get("classname") == finding["rule"], case.attrib
            assert case.get("name") == f"{finding['code']} {place}", case.attrib
            lost = {ord(c): "\ufffd" for c in map(chr, [*range(32), 0xFFFE, 0xFFFF])}
            said = case[0].get("message").translate(lost)
            assert said == finding["message"].translate(lost), said
            assert finding["fix"].split("\n")[0][:40] in case[0].text, case[0].text
        checked += len(cases)
    print(f"cases {checked}")


main(*sys.argv[1:])
