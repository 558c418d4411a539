"""What everybody writes: words that tell nothing, and passages that are no evidence of a copy.

A benchmark item that quotes one of the passages is not recognised by the quotation.
"""

from __future__ import annotations

GRAMMAR_AND_EXAMS = """
a about above after again all also always am among an and another any are as at away back be
because been before being below between both but by called came can cannot case come could did
do does doing done down during each either else end enough etc even ever every few first five
following for four from further gave get give given gives go goes going got had has have having
he her here hers him his how however i if in instead into is it its itself just keep kept know
known last later least left less let lets like ll made make makes making many may me mean means
might mine more most much must my need needs never next no nor not now number numbers of off on
once one only onto or other others our out over own part per please put rather re s same say
says second see seen set shall she should show shown shows since so some still such t take taken
takes than that the their them then there therefore these they thing things third this those
three through thus to together too true two under until up upon us use used uses using value
values very want was way we well were what when where whether which while who whom whose why
will with within without would yes yet you your yours
answer answers assume calculate choose compute consider determine evaluate example explain
express false find form justify list name option options problem prove question questions
result results sentence sentences simplify solution solutions solve statement statements step
steps suppose text think word words work write
def else elif for import in int len print range return self str while
"""
COMMON_WORDS = frozenset(GRAMMAR_AND_EXAMS.split())
"""Words of grammar, of exam papers and of programs."""

PASSAGES = (
    # instructions
    "Let's think step by step.",
    "Please reason step by step, and put your final answer within \\boxed{}.",
    "Think step by step before you answer, then give your final answer on a line of its own.",
    "Solve the following math problem step by step. The last line of your response should be of "
    "the form Answer: $Answer (without quotes) where $Answer is the answer to the problem.",
    "Answer the following multiple choice question. The last line of your response should be of "
    "the following format: 'Answer: $LETTER' (without quotes) where LETTER is one of ABCD.",
    "Use a truth table to determine whether the two statements are logically equivalent, "
    "contradictory, consistent, or inconsistent.",
    "Construct a complete truth table for the following argument. Then, using the truth table, "
    "determine whether the argument is valid or invalid. If the argument is invalid, choose an "
    "option which presents a counterexample.",
    "Express your answer as a common fraction in lowest terms.",
    "Give your answer as a decimal rounded to the nearest hundredth.",
    "Write a Python function to solve the following problem and return the result.",
    "You are a helpful assistant. Answer the question below as well as you can.",
    "Read the passage below and answer the question that follows in one or two sentences.",
    # the input and output of programs
    "The first line of the input contains a single integer t, the number of test cases. The "
    "description of the test cases follows. The first line of each test case contains a single "
    "integer n. The second line of each test case contains n integers a_1, a_2, ..., a_n. It is "
    "guaranteed that the sum of n over all test cases does not exceed 2 * 10^5. For each test case "
    "print a single integer, the answer to the problem.",
    "You may assume that each input would have exactly one solution, and you may not use the same "
    "element twice. You can return the answer in any order.",
    "import sys\ninput = sys.stdin.readline\n\ndef main():\n    t = int(input())\n    for _ in "
    "range(t):\n        n = int(input())\n        a = list(map(int, input().split()))\n",
    'if __name__ == "__main__":\n    main()',
    "from typing import Any, Dict, List, Optional, Set, Tuple, Union",
    "import numpy as np\nimport pandas as pd\nimport matplotlib.pyplot as plt",
    "for i in range(n):\n    for j in range(i + 1, n):\n        if i != j: return True",
    # identities
    "The sum of the first n natural numbers is n(n+1)/2, and the sum of their squares is "
    "n(n+1)(2n+1)/6.",
    "(a + b)^2 = a^2 + 2ab + b^2 and (a - b)^2 = a^2 - 2ab + b^2 and a^2 - b^2 = (a + b)(a - b)",
    "x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}",
    "\\sin^2 x + \\cos^2 x = 1",
    "In a right triangle the square of the hypotenuse equals the sum of the squares of the other "
    "two sides: a^2 + b^2 = c^2.",
    "The sum of the interior angles of a triangle is 180 degrees.",
    "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30",
    "0 1 2 3 4 5 6 7 8 9 0",
    "10 9 8 7 6 5 4 3 2 1 0",
    "2 3 5 7 11 13 17 19 23 29 31 37 41 43 47 53 59 61 67 71 73 79 83 89 97",
    "1 1 2 3 5 8 13 21 34 55 89 144 233 377 610 987",
    "1 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536",
    "1 4 9 16 25 36 49 64 81 100 121 144 169 196 225 256 289 324 361 400",
    "2 4 6 8 10 12 14 16 18 20 22 24 26 28 30",
    "1 3 5 7 9 11 13 15 17 19 21 23 25 27 29",
    "a b c d e f g h i j k l m n o p q r s t u v w x y z",
    "one two three four five six seven eight nine ten eleven twelve",
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "January February March April May June July August September October November December",
    # quotations
    "Four score and seven years ago our fathers brought forth on this continent, a new nation, "
    "conceived in Liberty, and dedicated to the proposition that all men are created equal. Now we "
    "are engaged in a great civil war, testing whether that nation, or any nation so conceived and "
    "so dedicated, can long endure. We are met on a great battle-field of that war.",
    "We hold these truths to be self-evident, that all men are created equal, that they are "
    "endowed by their Creator with certain unalienable Rights, that among these are Life, Liberty "
    "and the pursuit of Happiness.",
    "We the People of the United States, in Order to form a more perfect Union, establish Justice, "
    "insure domestic Tranquility, provide for the common defence, promote the general Welfare, and "
    "secure the Blessings of Liberty to ourselves and our Posterity, do ordain and establish this "
    "Constitution for the United States of America.",
    "To be, or not to be, that is the question: whether 'tis nobler in the mind to suffer the "
    "slings and arrows of outrageous fortune, or to take arms against a sea of troubles and by "
    "opposing end them.",
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age "
    "of foolishness, it was the epoch of belief, it was the epoch of incredulity, it was the "
    "season of Light, it was the season of Darkness.",
    "It is a truth universally acknowledged, that a single man in possession of a good fortune, "
    "must be in want of a wife.",
    "Ask not what your country can do for you, ask what you can do for your country.",
    "In the beginning God created the heaven and the earth. And the earth was without form, and "
    "void; and darkness was upon the face of the deep.",
    "The quick brown fox jumps over the lazy dog.",
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut "
    "labore et dolore magna aliqua. Ut enim ad minim veniam, quis nostrud exercitation ullamco "
    "laboris nisi ut aliquip ex ea commodo consequat.",
    # licences
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this software "
    "and associated documentation files, to deal in the Software without restriction, including "
    "without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, "
    "and/or sell copies of the Software.",
    "Licensed under the Apache License, Version 2.0; you may not use this file except in "
    "compliance with the License. You may obtain a copy of the License at "
    "http://www.apache.org/licenses/LICENSE-2.0",
)
"""Instructions, boilerplate, identities and quotations, some of which stand in many benchmarks."""
